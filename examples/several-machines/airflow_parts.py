"""A partitioned job in Airflow 2.6 or newer: a mapped task for each partition, and a task that collects them."""

from datetime import datetime, timedelta

from airflow import DAG

try:
    from airflow.providers.standard.operators.bash import BashOperator  # Airflow 3
except ImportError:
    from airflow.operators.bash import BashOperator

PARTS = 64
# Each worker has ENRICH_BASE_URL and ENRICH_API_KEY_FILE in its environment, and the password of the database in ~/.pgpass.
SHARED = "--checkpoint postgres://enrich@db.example.com:5432/enrich --job companies-{{ ds }}"

with DAG("enrich_parts", schedule="@monthly", start_date=datetime(2026, 1, 1), catchup=False):
    parts = BashOperator.partial(
        task_id="part",
        cwd="/srv/crm",
        bash_command=f"enrich 'in/*.parquet' -o out/{{{{ ds }}}}.parquet {SHARED}; "
        # Exit code 3 is a success: the partition is published, and some rows need attention.
        "code=$?; if [ $code = 3 ]; then exit 0; fi; exit $code",
        append_env=True,
        retries=3,  # a retry resumes; a published partition is not written again
        retry_delay=timedelta(minutes=15),
        max_active_tis_per_dagrun=8,
    ).expand(env=[{"ENRICH_PARTITION": f"{part}/{PARTS}"} for part in range(1, PARTS + 1)])
    collect = BashOperator(
        task_id="collect",
        cwd="/srv/crm",
        bash_command=f"enrich collect {SHARED} -o out/{{{{ ds }}}}.all.parquet",
    )
    parts >> collect
