"""A nightly run in Airflow 2 or 3. A retry resumes, and nothing is paid twice."""

from datetime import datetime, timedelta

from airflow import DAG

try:
    from airflow.providers.standard.operators.bash import BashOperator  # Airflow 3
except ImportError:
    from airflow.operators.bash import BashOperator

with DAG("enrich", schedule="15 2 * * *", start_date=datetime(2026, 1, 1), catchup=False):
    BashOperator(
        task_id="enrich",
        cwd="/srv/crm",
        bash_command="enrich companies.csv -o out.parquet --max-age 90d --max-duration 6h; "
        "code=$?; if [ $code = 3 ]; then exit 0; fi; exit $code",
        skip_on_exit_code=[8, 10, 11],  # the next run resumes; 11: the last run is still active
        retries=3,  # a retry resumes: nothing is paid twice
        retry_delay=timedelta(minutes=15),
    )
