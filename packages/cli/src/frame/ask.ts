import { CommandError, exitCodes } from './command-error.ts';
import { printable } from './printable.ts';
import { askLine, type Terminal } from './prompt.ts';

/** Questions to a person. Without a terminal nothing is asked: `--yes` and `--yes=<org>` answer in advance. */
export interface Ask {
  /** Whether a person can be asked. */
  readonly isTerminal: boolean;
  /** @throws CommandError where the answer is no, or where it cannot be asked. */
  confirm(question: string): Promise<void>;
  /** For what destroys: the name of the org is typed. @throws CommandError where another name is typed, or none can be. */
  confirmByName(org: string, question: string): Promise<void>;
  text(question: string): Promise<string>;
  password(question: string): Promise<string>;
}

/** A bare `--yes` is the empty text, `--yes=<org>` the name. */
export function createPrompt(yes: string | undefined, terminal: Terminal | undefined): Ask {
  const ask = async (question: string, next: string, isSecret = false): Promise<string> => {
    if (terminal === undefined) throw cannotPrompt(question, next);
    const answer = await askLine(terminal, printable(question), isSecret);
    if (answer === undefined) throw notConfirmed();
    return answer;
  };
  return {
    isTerminal: terminal !== undefined,
    confirm: async (question) => {
      if (yes !== undefined) return;
      const next = 'add `--yes` to answer yes without a terminal';
      const answer = await ask(terminal === undefined ? question : `${question} [y/N]`, next);
      if (!/^\s*y(es)?\s*$/i.test(answer)) throw notConfirmed();
    },
    confirmByName: async (org, question) => {
      if (yes !== undefined && yes !== '') {
        if (yes === org) return;
        throw notConfirmed(`\`--yes=${yes}\` names another org than \`${org}\``);
      }
      const requested = terminal === undefined ? question : `${question} Type the name of the org to go on:`;
      const typed = await ask(requested, `name the org to answer without a terminal: \`--yes=${org}\``);
      if (typed.trim() !== org) throw notConfirmed();
    },
    text: (question) => ask(`${question}:`, 'give it as an option: see --help'),
    password: (question) =>
      ask(`${question}:`, 'sign in with a key from standard input: `freehold login --key-stdin`', true),
  };
}

function notConfirmed(sentence = 'not confirmed: nothing was changed'): CommandError {
  return new CommandError(sentence, { code: 'not_confirmed', exitCode: exitCodes.notConfirmed });
}

function cannotPrompt(question: string, next: string): CommandError {
  return new CommandError(`there is no terminal to ask: ${question}`, {
    code: 'not_confirmed',
    exitCode: exitCodes.notConfirmed,
    next,
  });
}
