/** A ticket as each generated type has to show it. */
export interface Ticket {
  readonly id: string;
  readonly title?: string;
}

export interface Person {
  readonly client_id: string;
  readonly email: string;
  readonly password: string;
}

/** Calls of a generated client, each of which reads a member of the reply. */
export interface Calls {
  /** @returns the app token, which the later calls send. */
  signIn(person: Person): Promise<string>;
  create(title: string): Promise<Ticket>;
  get(id: string): Promise<Ticket>;
  /** @returns the title of the first ticket. */
  firstTitle(): Promise<string | undefined>;
  update(id: string, title: string): Promise<Ticket>;
}

export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the reply is a refusal');
  return value;
}
