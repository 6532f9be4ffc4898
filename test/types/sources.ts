/** A column with its special values, as literals of its source's language. */
export interface TypedColumn {
  readonly name: string
  /** In the source's SQL; unused in files without types. */
  readonly type: string
  readonly values: readonly string[]
  /** Targets that refuse one of the values, before anything is submitted. */
  readonly refusedBy?: readonly string[]
}

const column = (
  name: string,
  type: string,
  values: readonly string[],
  refusedBy?: readonly string[],
): TypedColumn => ({ name, type, values, ...(refusedBy && { refusedBy }) })

const quote = (texts: readonly string[]) => texts.map((text) => `'${text.replaceAll("'", "''")}'`)

const texts = [
  '',
  ' ',
  '007',
  '=1+1',
  'NULL',
  'null',
  'a,b;"c"',
  'line\nbreak',
  'tab\there',
  'Zürich 東京 😀',
  "it's",
  '\\x41',
  '\\N',
  '1e400',
  'NaN',
  '[]',
  '{"a": 1}',
]
const doubles = ['NaN', 'Infinity', '-Infinity', '-0', '0', '1.5', '5e-324', '1.7976931348623157e308', '0.1']
const floats = ['NaN', 'Infinity', '-Infinity', '-0', '0.1', '1e-45', '3.4028235e38']

/** Every scalar type of PostgreSQL, arrays, and types of users. */
export const postgresSetup = `
  CREATE TYPE mood AS ENUM ('sad', 'it''s ok');
  CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
  CREATE TYPE pair AS (a integer, b text);`

export const postgresColumns: readonly TypedColumn[] = [
  column('p_bool', 'boolean', ['true', 'false']),
  column('p_int2', 'smallint', ['-32768', '32767', '0']),
  column('p_int4', 'integer', ['-2147483648', '2147483647']),
  column('p_int8', 'bigint', ['-9223372036854775808', '9223372036854775807', '9007199254740993']),
  column('p_num', 'numeric', [
    ...quote(['NaN', 'Infinity', '-Infinity', '0.000', '123456789012345678901234567890.1234567890']),
  ]),
  column('p_num20_2', 'numeric(20,2)', quote(['NaN', '1.25', '-999999999999999999.99', '0'])),
  column('p_num18_2', 'numeric(18,2)', quote(['NaN', '1.25', '-9999999999999999.99'])),
  column('p_num10_0', 'numeric(10,0)', quote(['7', '-7', '9999999999'])),
  column('p_num38_10', 'numeric(38,10)', quote(['NaN', '1234567890123456789012345678.0123456789', '0.5'])),
  column('p_num39', 'numeric(39,1)', quote(['NaN', '12345678901234567890123456789012345678.5'])),
  column('p_num_neg', 'numeric(3,-2)', ['12300', '-100']),
  column('p_f4', 'real', quote(floats)),
  column('p_f8', 'double precision', quote(doubles)),
  column('p_text', 'text', quote(texts)),
  column('p_varchar', 'varchar(20)', quote(['', 'abc', '007'])),
  column('p_char', 'char(5)', quote(['ab', '', 'abcde'])),
  column('p_name', 'name', quote(['a name', ''])),
  column('p_ichar', '"char"', quote(['x', ''])),
  column(
    'p_date',
    'date',
    quote(['infinity', '-infinity', '0044-03-15 BC', '2024-02-29', '99999-01-01', '0001-01-01']),
  ),
  column(
    'p_ts',
    'timestamp',
    quote([
      'infinity',
      '-infinity',
      '0044-03-15 00:00:00 BC',
      '2024-02-29 23:59:59.999999',
      '99999-12-31 00:00:00',
      '0001-01-01',
    ]),
  ),
  column('p_ts0', 'timestamp(0)', quote(['2024-02-29 23:59:59', '1969-12-31 23:59:59'])),
  column(
    'p_tz',
    'timestamptz',
    quote([
      'infinity',
      '-infinity',
      '0044-03-15 00:00:00+00 BC',
      '2024-02-29 23:59:59.999999+05:30',
      '99999-12-31 00:00:00+00',
    ]),
  ),
  column('p_time', 'time', quote(['24:00:00', '00:00:00', '23:59:59.999999'])),
  column('p_timetz', 'timetz', quote(['24:00:00+02', '00:00:00-15:59', '12:00:00.5+00'])),
  column('p_iv', 'interval', quote(['1 year 2 mons -3 days 04:05:06.789', '0', '-178000000 years'])),
  column(
    'p_uuid',
    'uuid',
    quote(['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '00000000-0000-0000-0000-000000000000']),
  ),
  column(
    'p_json',
    'json',
    quote([
      '{"a" : 1.00000000000000000000001, "a":2}',
      'null',
      '"x"',
      '[1, null]',
      '12345678901234567890123',
    ]),
  ),
  column('p_jsonb', 'jsonb', quote(['{"b":[1,null,"é"]}', 'null', '0.10', '"NaN"'])),
  column('p_bytea', 'bytea', quote(['', '\\x00ff5c', '\\x4e6573746cc3a9', '\\xc080'])),
  column('p_money', 'money', quote(['12.34', '-92233720368547758.08'])),
  column('p_enum', 'mood', quote(['sad', "it's ok"])),
  column('p_domain', 'positive', ['1', '2147483647']),
  column('p_pair', 'pair', [`ROW(1, 'x,"y')::pair`, `ROW(NULL, '')::pair`]),
  column('p_inet', 'inet', quote(['10.0.0.1/8', '::1', '1.2.3.4'])),
  column('p_cidr', 'cidr', quote(['10.0.0.0/8', '::/0'])),
  column('p_mac', 'macaddr', quote(['08:00:2b:01:02:03'])),
  column('p_mac8', 'macaddr8', quote(['08:00:2b:01:02:03:04:05'])),
  column('p_bit', 'bit(3)', ["B'101'", "B'000'"]),
  column('p_varbit', 'varbit', ["B'10101'", "B''"]),
  column('p_range', 'int4range', quote(['[1,5)', 'empty', '(,)'])),
  column('p_numrange', 'numrange', quote(['[1.5,2.5]', 'empty'])),
  column('p_tsrange', 'tstzrange', quote(['[2024-01-01 00:00:00+00,infinity)'])),
  column('p_multirange', 'int4multirange', quote(['{[1,3),[5,9)}', '{}'])),
  column('p_point', 'point', quote(['(1,2)', '(NaN,Infinity)'])),
  column('p_line', 'line', quote(['{1,2,3}'])),
  column('p_box', 'box', quote(['((1,1),(0,0))'])),
  column('p_path', 'path', quote(['[(0,0),(1,1)]', '((0,0),(1,1))'])),
  column('p_polygon', 'polygon', quote(['((0,0),(1,1),(1,0))'])),
  column('p_circle', 'circle', quote(['<(0,0),1.5>'])),
  column('p_xml', 'xml', quote(['<a>1</a>', ''])),
  column('p_tsvector', 'tsvector', quote(['a:1 b:2', ''])),
  column('p_tsquery', 'tsquery', quote(["'a' & 'b'"])),
  column('p_oid', 'oid', ['4294967295', '0']),
  column('p_regtype', 'regtype', quote(['integer'])),
  column('p_lsn', 'pg_lsn', quote(['16/B374D848'])),
  column('p_jsonpath', 'jsonpath', quote(['$.a[*]'])),
  column('pa_int', 'integer[]', quote(['{1,NULL,3}', '{}', '{{1,2},{3,4}}', '[2:3]={5,6}'])),
  column('pa_int_plain', 'integer[]', quote(['{1,NULL,3}', '{}', '{NULL}'])),
  column('pa_num', 'numeric(20,2)[]', quote(['{1.50,NULL}', '{NaN}', '{}'])),
  column('pa_f8', 'double precision[]', quote(['{NaN,Infinity,-0,NULL}', '{0.1}'])),
  column('pa_text', 'text[]', quote(['{"a,b",NULL,"","NULL","q\\"q","{x}"}', '{"é\n"}', '{}'])),
  column('pa_bytea', 'bytea[]', quote(['{"\\\\x00ff",NULL}', '{"\\\\xc3a9"}'])),
  column('pa_tz', 'timestamptz[]', quote(['{"2024-01-01 00:00:00+00",infinity}', '{}'])),
  column('pa_date', 'date[]', quote(['{2024-01-01,NULL}', '{}'])),
  column('pa_jsonb', 'jsonb[]', quote(['{"{\\"a\\": 1}",NULL}'])),
  column('pa_mood', 'mood[]', quote(['{sad,NULL}'])),
  column('pa_bool', 'boolean[]', quote(['{t,f,NULL}', '{}'])),
  column('pa_uuid', 'uuid[]', quote(['{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'])),
]

/** Types that DuckDB keeps in its own files; also those that Parquet does not have. */
export const duckDbColumns: readonly TypedColumn[] = [
  column('d_bool', 'BOOLEAN', ['true', 'false']),
  column('d_i1', 'TINYINT', ['-128', '127']),
  column('d_u1', 'UTINYINT', ['0', '255']),
  column('d_i2', 'SMALLINT', ['-32768', '32767']),
  column('d_u2', 'USMALLINT', ['65535']),
  column('d_i4', 'INTEGER', ['-2147483648']),
  column('d_u4', 'UINTEGER', ['4294967295']),
  column('d_i8', 'BIGINT', ["'-9223372036854775808'", '9223372036854775807', '9007199254740993']),
  column('d_u8', 'UBIGINT', ['18446744073709551615', '0']),
  column('d_f4', 'FLOAT', quote(floats)),
  column('d_f8', 'DOUBLE', quote(doubles)),
  column('d_dec4', 'DECIMAL(4,2)', ['-99.99', '0']),
  column('d_dec18', 'DECIMAL(18,2)', ['9999999999999999.99']),
  column('d_dec20', 'DECIMAL(20,2)', ['-999999999999999999.99', '1.25']),
  column('d_dec38', 'DECIMAL(38,10)', ["'1234567890123456789012345678.0123456789'", '0.5']),
  column('d_text', 'VARCHAR', quote(texts)),
  column('d_blob', 'BLOB', quote(['', '\\x00\\xFF', 'Nestl\\xC3\\xA9', '\\xC0\\x80'])),
  column('d_date', 'DATE', quote(['infinity', '-infinity', '0044-03-15 (BC)', '2024-02-29', '99999-01-01'])),
  column('d_time', 'TIME', quote(['24:00:00', '00:00:00', '23:59:59.999999'])),
  column(
    'd_ts',
    'TIMESTAMP',
    quote(['infinity', '-infinity', '0044-03-15 (BC) 00:00:00', '2024-02-29 23:59:59.999999', '99999-12-31']),
  ),
  column('d_ts_s', 'TIMESTAMP_S', quote(['2024-02-29 23:59:59', '1969-12-31 23:59:59'])),
  column('d_ts_ms', 'TIMESTAMP_MS', quote(['2024-02-29 23:59:59.999'])),
  column(
    'd_ts_ns',
    'TIMESTAMP_NS',
    quote(['2024-02-29 23:59:59.123456789', '1700-01-01 00:00:00.000000001']),
  ),
  column(
    'd_tz',
    'TIMESTAMPTZ',
    quote(['2024-02-29 23:59:59.999999+00', 'infinity', '0044-03-15 (BC) 00:00:00+00']),
  ),
  column('d_uuid', 'UUID', quote(['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'])),
  column('d_json', 'JSON', quote(['{"a": 1.00000000000000000000001}', 'null', '"x"', '[1, null]'])),
  column('d_list', 'INTEGER[]', ['[1, NULL, 3]', '[]']),
  column('d_list_f8', 'DOUBLE[]', ["['NaN'::DOUBLE, 'Infinity'::DOUBLE, -0.0, NULL]", '[0.1]']),
  column('d_list_text', 'VARCHAR[]', ["['a,b', NULL, '', 'NaN', 'é\"']", '[]']),
  column('d_list_blob', 'BLOB[]', ["['\\x00'::BLOB, NULL, 'Nestl\\xC3\\xA9'::BLOB]"]),
  column('d_list_date', 'DATE[]', ["[DATE '2024-01-01', NULL]"]),
  column('d_list_dec', 'DECIMAL(20,2)[]', ['[1.50, NULL]']),
  column('d_lists', 'INTEGER[][]', ['[[1], [], NULL]']),
  column('d_struct', 'STRUCT(a INTEGER, "b c" VARCHAR, f DOUBLE)', [
    "{'a': 1, 'b c': 'x\"', 'f': 'NaN'::DOUBLE}",
    "{'a': NULL, 'b c': NULL, 'f': NULL}",
  ]),
  column('d_struct_blob', 'STRUCT(b BLOB, l BLOB[])', [
    "{'b': 'Nestl\\xC3\\xA9'::BLOB, 'l': ['\\xFF'::BLOB]}",
  ]),
  column('d_map', 'MAP(VARCHAR, INTEGER)', ["MAP {'a': 1, 'b': NULL}", 'MAP {}']),
]

/** Types that only files of DuckDB have. */
export const duckDbOnlyColumns: readonly TypedColumn[] = [
  column('d_ts_s_inf', 'TIMESTAMP_S', quote(['infinity', '-infinity', '2024-02-29 23:59:59'])),
  column('d_ts_ms_inf', 'TIMESTAMP_MS', quote(['infinity', '2024-02-29 23:59:59.999'])),
  column('d_ts_ns_inf', 'TIMESTAMP_NS', quote(['infinity', '2024-02-29 23:59:59.999'])),
  column('d_i16', 'HUGEINT', ["'-170141183460469231731687303715884105728'", '1']),
  column('d_u16', 'UHUGEINT', ["'340282366920938463463374607431768211455'"]),
  column('d_bignum', 'BIGNUM', ["'123456789012345678901234567890123456789012345678901234567890'"]),
  column('d_timetz', 'TIMETZ', quote(['12:00:00+02', '00:00:00-15:59', '24:00:00+00'])),
  column('d_time_ns', 'TIME_NS', quote(['23:59:59.123456789'])),
  column('d_iv', 'INTERVAL', quote(['1 year 2 months -3 days 04:05:06.789', '0 days'])),
  column('d_bit', 'BIT', quote(['10101', '0'])),
  column('d_enum', "ENUM('sad', 'it''s ok')", quote(['sad', "it's ok"])),
  column('d_union', 'UNION(num INTEGER, text VARCHAR)', [
    'union_value(num := 1)',
    "union_value(text := 'x')",
  ]),
  column('d_array', 'INTEGER[3]', ['[1, NULL, 3]']),
]

/** A column's type in SQLite does not limit its values. */
export const sqliteColumns: readonly TypedColumn[] = [
  column('s_int', 'INTEGER', ['1', '-9223372036854775808', '9223372036854775807']),
  column('s_real', 'REAL', ['1.5', '9e999', '-9e999', '5e-324', '-0.0', '0.1', '1e15', '1e300']),
  column('s_text', 'TEXT', quote(texts)),
  column('s_nul', 'TEXT', ["'a' || char(0) || 'b'"], ['postgres']),
  column('s_blob', 'BLOB', ["x'00ff'", "x'4e6573746cc3a9'", "x''"]),
  column('s_num', 'NUMERIC', ['1', '1.5', "'text'"]),
  column('s_mixed', '', ['1', '1.5', "'007'", "x'c3a9'"]),
  column('s_mixed_text', '', ['1', "'é'"]),
  column('s_int_real', '', ['9007199254740993', '0.5']),
  column('s_int_real_small', '', ['7', '0.5']),
  column('s_bool', 'BOOLEAN', ['1', '0']),
  column('s_date', 'DATE', quote(['2024-02-29', 'yesterday'])),
  column('s_empty', 'TEXT', []),
]

export const csvColumns: readonly TypedColumn[] = [
  column('c_text', '', texts),
  column('c_number', '', ['1', '007', '1.50', '-0', '1e5', 'NaN', '123456789012345678901234567890']),
  column('c_date', '', ['2024-02-29', '29/02/2024', '']),
]

/** Values are JSON. */
export const ndjsonColumns: readonly TypedColumn[] = [
  column(
    'n_text',
    '',
    texts.map((text) => JSON.stringify(text)),
  ),
  column('n_nul', '', ['"a\\u0000b"'], ['postgres']),
  column('n_int', '', ['1', '-7', '9007199254740993', '9223372036854775807']),
  column('n_huge', '', ['18446744073709551615', '123456789012345678901234567890']),
  column('n_double', '', ['0.1', '5e-324', '1.7976931348623157e308', '-0.0', '1E5', '100']),
  column('n_decimal', '', ['0.10', '1.00000000000000000000001', '1e400']),
  column('n_bool', '', ['true', 'false']),
  column('n_mixed', '', ['1', '"1"', 'true', '[1]', '{"a": 1.0}']),
  column('n_list', '', ['[1, null, "x"]', '[]', '[[]]']),
  column('n_object', '', ['{"a": {"b": "é\\n"}, "c": 0.10}', '{}']),
  column('n_null', '', []),
]
