/** What was asked of a platform and what it answered, on disk before the next thing is asked. */
import { appendFileSync, readFileSync } from 'node:fs';
import type { StoredRecord } from '../org.ts';

export type LedgerCommand =
  | { readonly kind: 'create'; readonly key: string; readonly body: OrderBody }
  | { readonly kind: 'update'; readonly id: string; readonly title: string }
  | { readonly kind: 'delete'; readonly id: string }
  | { readonly kind: 'batch'; readonly key: string; readonly bodies: readonly OrderBody[] }
  | { readonly kind: 'policy'; readonly name: string }
  | { readonly kind: 'link'; readonly policyId: string }
  | { readonly kind: 'invitation'; readonly email: string }
  | { readonly kind: 'sign-in'; readonly email: string }
  | { readonly kind: 'workspace'; readonly email: string; readonly name: string };

export interface OrderBody {
  readonly title: string;
  readonly code: string;
  readonly secret: string;
}

/** `records` are those that the answer showed; `id` that of anything else it made. */
export interface Answer {
  readonly records?: readonly StoredRecord[];
  readonly id?: string;
}

export interface Entry {
  readonly command: LedgerCommand;
  /** Left out where no answer came. */
  readonly answer?: Answer;
}

export class Ledger {
  /** Resolves when an order was made and answered. */
  readonly hasOrder: Promise<void>;
  readonly #path: string;
  readonly #tellOrder: () => void;
  readonly #counts = new Map<LedgerCommand['kind'], number>();
  #next = 0;

  constructor(path: string) {
    this.#path = path;
    appendFileSync(path, '');
    ({ promise: this.hasOrder, resolve: this.#tellOrder } = Promise.withResolvers<void>());
  }

  /** Notes what is asked, and what was answered once it was. Rejects with what `call` rejects with. */
  async record(command: LedgerCommand, call: () => Promise<Answer>): Promise<Answer> {
    const number = this.#next++;
    this.#counts.set(command.kind, this.countOf(command.kind) + 1);
    this.#append({ number, command: command });
    const answer = await call();
    this.#append({ number, answer });
    if (command.kind === 'create' || command.kind === 'batch') this.#tellOrder();
    return answer;
  }

  /** Requests of this kind so far, answered or not. */
  countOf(kind: LedgerCommand['kind']): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** As it stands on disk, in the order of asking. */
  read(): readonly Entry[] {
    const lines = readFileSync(this.#path, 'utf8').split('\n').slice(0, -1);
    const entries = new Map<number, Entry>();
    for (const line of lines.map((text) => JSON.parse(text) as Line)) {
      if ('command' in line) entries.set(line.number, { command: line.command });
      else entries.set(line.number, { command: commandOfLine(entries, line.number), answer: line.answer });
    }
    return [...entries.values()];
  }

  #append(line: Line): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }
}

type Line =
  | { readonly number: number; readonly command: LedgerCommand }
  | { readonly number: number; readonly answer: Answer };

function commandOfLine(entries: ReadonlyMap<number, Entry>, number: number): LedgerCommand {
  const entry = entries.get(number);
  if (entry === undefined) throw new Error(`the ledger has an answer to nothing: ${number}`);
  return entry.command;
}
