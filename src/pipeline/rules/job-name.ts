const mark = 'job '

/** What a job is known by whose user named it: no list of files begins so. */
export const namedJob = (name: string): string => `${mark}${name}`

export const isNamedJob = (job: string): boolean => job.startsWith(mark)

/** A job is named by its files, as a list, or by its user, which says nothing of files; any other text names itself. */
export function inputsOfJob(job: string | undefined): readonly string[] {
  if (job === undefined || isNamedJob(job)) return []
  return job.startsWith('[') ? (JSON.parse(job) as string[]) : [job]
}
