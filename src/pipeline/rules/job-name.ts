const mark = 'job '

/** What a job is known by whose user named it: no list of files begins so. */
export const namedJob = (name: string): string => `${mark}${name}`

export const isNamedJob = (job: string): boolean => job.startsWith(mark)
