/** The first words of commands; a test compares them with the program's. */
export const commandNames = [
  'run',
  'plan',
  'status',
  'export',
  'retry',
  'serve',
  'accounts',
  'api',
  'receive',
  'registry',
  'checkpoint',
  'reconcile',
  'doctor',
]

/**
 * How this command is called again from where it was called. Under npx nothing called `enrich` need be on the path;
 * and a bare `npx enrich`, typed where it is not installed, would fetch a stranger's package.
 */
export function programName(environment: Readonly<Record<string, string | undefined>>): string {
  const isOfNpx =
    environment['npm_command'] === 'exec' && /^'?enrich\b/.test(environment['npm_lifecycle_script'] ?? '')
  return isOfNpx ? 'npx --no-install enrich' : 'enrich'
}

const ofCommand = new RegExp(
  `(?<![\\w./@-]|no-install )enrich(?= (?:(?:${commandNames.join('|')})\\b|--?[a-z]|[^\\n();]{1,400}? -o ))`,
  'g',
)

/** Commands in a text for people, as they would be typed here. */
export function commandsAsTyped(text: string, program: string): string {
  return program === 'enrich' ? text : text.replace(ofCommand, program)
}
