/** Errors of `enrich mcp`. */
export const assistantErrors = {
  PATH_OUTSIDE_ROOT: {
    meaning: 'an assistant named a path that leads out of the folder of `enrich mcp --root`, or is hidden',
    remedy: 'name a file in the folder; links must stay in it too',
  },
  CONFIG_CHANGED: {
    meaning: 'the config changed after `enrich mcp` started',
    remedy: 'check the change, and start the server again',
  },
  RUN_NOT_CONFIRMED: {
    meaning:
      'a run of an assistant may be billed or replace a file, and the user did not accept it or cannot be asked',
    remedy: 'accept it, use a client with elicitation, or start `enrich mcp` with `--yes`',
  },
  RUN_BUDGET_EXCEEDED: {
    meaning: 'the budget of a run of an assistant exceeds the rest of the limits of `enrich mcp`',
    remedy: 'pass a smaller budget, or start the server again with a higher limit',
  },
} as const
