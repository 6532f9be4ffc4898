/** As the service makes them, and fit for a path. */
const entityIdPattern = /^siq_[\w.~-]{1,200}$/

/** Whether a text has the form of a company's id (`siq_…`). */
export const isEntityId = (text: string): boolean => entityIdPattern.test(text)
