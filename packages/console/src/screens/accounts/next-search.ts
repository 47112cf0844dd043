interface NextSearch {
  readonly next?: string | undefined;
}

/** Where to go after signing in: a path of the console, never an address elsewhere. What is left out would stay as it was sent. */
export function readNext({ next }: Record<string, unknown>): NextSearch {
  return typeof next === 'string' && /^\/(o\/[\w/.~-]*(\?.*)?|cli-login\?[\w=&%.-]*)$/.test(next)
    ? { next }
    : { next: undefined };
}
