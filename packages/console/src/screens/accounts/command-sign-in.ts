/** What `freehold login` asks for, in the address that it opens. */
export interface CommandSignIn {
  readonly challenge: string;
  /** Where the command listens on the machine of this browser; undefined where the code is to be pasted. */
  readonly port: number | undefined;
  readonly state: string;
  /** What the command's machine calls itself. */
  readonly name: string;
  readonly org: string | undefined;
}

export type CommandSignInSearch = { readonly [Name in keyof CommandSignIn]?: CommandSignIn[Name] | undefined };

/** Leaves out what no command sends. */
export function readCommandSignIn({ challenge, port, state, name, org }: Record<string, unknown>): CommandSignInSearch {
  const isPort = typeof port === 'number' && Number.isInteger(port) && port >= 1024 && port <= 65_535;
  return {
    challenge: textOf(challenge, /^[\w-]{43}$/),
    port: isPort ? port : undefined,
    state: textOf(state, /^[\w-]{43}$/),
    name: textOf(name, /^[\w.-]{1,64}$/),
    org: textOf(org, /^[\w-]{1,64}$/),
  };
}

/** Undefined for an address that is cut, or whose port is none that a command listens at. */
export function completeSignIn(search: CommandSignInSearch, hasPort: boolean): CommandSignIn | undefined {
  const { challenge, port, state, name = 'unknown', org } = search;
  if (challenge === undefined || state === undefined || (hasPort && port === undefined)) return undefined;
  return { challenge, port, state, name, org };
}

/** Always on the machine of this browser: an address in a link could name another one. */
export function callbackAddress(port: number, answer: Readonly<Record<string, string>>): string {
  return `http://127.0.0.1:${port}/callback?${new URLSearchParams(answer)}`;
}

function textOf(value: unknown, pattern: RegExp): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && pattern.test(text) ? text : undefined;
}
