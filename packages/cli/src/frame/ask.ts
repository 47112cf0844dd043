import { CommandError, exitCodes } from './command-error.ts';

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
export function createAsk(yes: string | undefined, isTerminal: boolean): Ask {
  return {
    isTerminal,
    confirm: async (question) => {
      if (yes !== undefined) return;
      if (!isTerminal) throw notAsked(question, 'add `--yes` to answer yes without a terminal');
      const { confirm, isCancel } = await prompts();
      const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
      if (isCancel(answer) || !answer) throw notConfirmed();
    },
    confirmByName: async (org, question) => {
      if (yes !== undefined && yes !== '') {
        if (yes === org) return;
        throw notConfirmed(`\`--yes=${yes}\` names another org than \`${org}\``);
      }
      if (!isTerminal) throw notAsked(question, `name the org to answer without a terminal: \`--yes=${org}\``);
      const { isCancel, text } = await prompts();
      const typed = await text({ message: `${question} Type the name of the org to go on:`, output: process.stderr });
      if (isCancel(typed) || typed !== org) throw notConfirmed();
    },
    text: async (question) => {
      if (!isTerminal) throw notAsked(question, 'give it as an option: see --help');
      const { isCancel, text } = await prompts();
      const answer = await text({ message: question, output: process.stderr });
      if (isCancel(answer)) throw notConfirmed();
      return answer ?? '';
    },
    password: async (question) => {
      if (!isTerminal) throw notAsked(question, 'sign in with a key from standard input: `freehold login --key-stdin`');
      const { isCancel, password } = await prompts();
      const answer = await password({ message: question, output: process.stderr });
      if (isCancel(answer)) throw notConfirmed();
      return answer ?? '';
    },
  };
}

/** Loaded where something is asked, as few commands do. */
function prompts() {
  return import('@clack/prompts');
}

function notConfirmed(sentence = 'not confirmed: nothing was changed'): CommandError {
  return new CommandError(sentence, { code: 'not_confirmed', exitCode: exitCodes.notConfirmed });
}

function notAsked(question: string, next: string): CommandError {
  return new CommandError(`there is no terminal to ask: ${question}`, {
    code: 'not_confirmed',
    exitCode: exitCodes.notConfirmed,
    next,
  });
}
