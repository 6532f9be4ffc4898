import type { Partition } from './partition.js'

const mark = 'job '

/** What a job is known by whose user named it: no list of files begins so. */
export const namedJob = (name: string): string => `${mark}${name}`

export const isNamedJob = (job: string): boolean => job.startsWith(mark)

/** A job is named by its files, as a list, or by its user, which says nothing of files; any other text names itself. */
export function inputsOfJob(job: string | undefined): readonly string[] {
  if (job === undefined || isNamedJob(job)) return []
  return job.startsWith('[') ? (JSON.parse(job) as string[]) : [job]
}

/** What the run of a part is listed under; nothing else is of the same series, but another attempt of it. */
export const seriesOfPart = (job: string, { index, count }: Partition): string =>
  `${namedJob(job)}, part ${index} of ${count}`
