"""A nightly asset in Dagster, through Dagster Pipes. A retry resumes, and nothing is paid twice."""

import dagster as dg

# 3: the output is written, some rows need attention. Any other code but 0 fails the step.
COMMAND = (
    "enrich companies.csv -o out.parquet --max-age 90d --max-duration 6h; "
    "code=$?; if [ $code = 3 ]; then exit 0; fi; exit $code"
)


@dg.asset(retry_policy=dg.RetryPolicy(max_retries=3, delay=900))
def companies(context: dg.AssetExecutionContext, pipes_subprocess_client: dg.PipesSubprocessClient):
    return pipes_subprocess_client.run(command=["sh", "-c", COMMAND], cwd="/srv/crm", context=context).get_results()


defs = dg.Definitions(
    assets=[companies],
    resources={"pipes_subprocess_client": dg.PipesSubprocessClient()},
    schedules=[dg.ScheduleDefinition(name="nightly", cron_schedule="15 2 * * *", target=[companies])],
)
