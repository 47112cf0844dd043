/** What a command ends with; `docs/command-line.md` promises these numbers to scripts. */
export const exitCodes = {
  done: 0,
  /** The work was done, and the answer is no: there are differences, or a check prevents a change. */
  answerIsNo: 1,
  /** The work could not be done. */
  failed: 2,
  /** A question was not answered with yes, so nothing was changed. */
  notConfirmed: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface CommandErrorDetails {
  /** What the user does about it: a sentence, or a command to type. */
  readonly next?: string;
  readonly exitCode?: ExitCode;
  /** The `code` of the platform's refusal, or of this command's own. */
  readonly code?: string;
  readonly status?: number;
  readonly requestId?: string;
  /** Further lines, such as each mistake in a file. */
  readonly lines?: readonly string[];
}

/** A failure that the user can understand; anything else thrown is a mistake of this command. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly details: CommandErrorDetails;

  constructor(sentence: string, details: CommandErrorDetails = {}) {
    super(sentence);
    this.details = details;
  }

  get exitCode(): ExitCode {
    return this.details.exitCode ?? exitCodes.failed;
  }
}

/** The form of an error under `--json`. */
export function errorAsJson(error: CommandError): object {
  const { code = 'command_failed', next, status, requestId, lines } = error.details;
  return {
    error: {
      code,
      message: error.message,
      ...(next === undefined ? {} : { next }),
      ...(status === undefined ? {} : { status }),
      ...(requestId === undefined ? {} : { request_id: requestId }),
      ...(lines === undefined ? {} : { lines }),
    },
  };
}

export function errorAsText(error: CommandError): string {
  const { code, next, requestId, lines = [] } = error.details;
  const where = [code, requestId === undefined ? undefined : `request ${requestId}`].filter(
    (part) => part !== undefined,
  );
  return [
    `${error.message}${where.length === 0 ? '' : ` (${where.join(', ')})`}`,
    ...lines.map((line) => `  ${line}`),
    ...(next === undefined ? [] : [`→ ${next}`]),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
