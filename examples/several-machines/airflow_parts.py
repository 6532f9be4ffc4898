"""A job in parts, in Airflow 2: a mapped task for each part, and one that collects them."""

from datetime import datetime, timedelta

from airflow import DAG
from airflow.operators.bash import BashOperator

PARTS = 64
# The password of the database is in ~/.pgpass of the workers, the key of the service in ENRICH_API_KEY_FILE.
SHARED = "--checkpoint postgres://enrich@db.example.com:5432/enrich --job companies-{{ ds }}"

with DAG("enrich_parts", schedule="@monthly", start_date=datetime(2026, 1, 1), catchup=False):
    parts = BashOperator.partial(
        task_id="part",
        cwd="/srv/crm",
        retries=3,  # a retry resumes, and a part that is published is not written again
        retry_delay=timedelta(minutes=15),
        max_active_tis_per_dagrun=8,
    ).expand(
        bash_command=[
            f"enrich 'in/*.parquet' -o out/{{{{ ds }}}}.parquet {SHARED} --partition {part}/{PARTS}; "
            "code=$?; if [ $code = 3 ]; then exit 0; fi; exit $code"
            for part in range(1, PARTS + 1)
        ]
    )
    collect = BashOperator(
        task_id="collect",
        cwd="/srv/crm",
        bash_command=f"enrich collect {SHARED} -o out/{{{{ ds }}}}.all.parquet",
    )
    parts >> collect
