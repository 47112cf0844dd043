/** The only writer of one entity's records in one workspace: every read must return what it wrote. */
import { creating, deleting, type Results, updating } from '../batches.ts';
import type { Reply } from '../call.ts';
import { everyValue } from '../every-type.ts';
import { type AppUser, act, type Page, random, type StoredRecord } from '../org.ts';
import { type ImportResult, jsonLines, jsonl, transfer } from '../transfer-calls.ts';
import { RecordLedger } from './expected-records.ts';
import type { SoakCaller } from './soak-caller.ts';
import { seenBelow, type Workplace } from './stage.ts';

export interface Duty {
  readonly entity: 'thing' | 'ticket';
  readonly workplace: Workplace;
}

/** About as many there are all the time. */
const usualCount = 40;

export class RecordWorkload {
  readonly kept = new RecordLedger();
  readonly #caller: SoakCaller;
  readonly #duty: Duty;

  constructor(caller: SoakCaller, duty: Duty) {
    this.#caller = caller;
    this.#duty = duty;
  }

  get what(): string {
    return `${this.#duty.entity} of ${this.#duty.workplace.name}`;
  }

  /** Makes as many as there are usually. */
  async fill(): Promise<void> {
    const operations = Array.from({ length: usualCount }, () => creating(this.#entity, this.#body()));
    const { body } = await this.#caller.ask(`batch of ${this.what}`, 200, () =>
      act<Results>(this.#admin, 'POST', '/batch', { body: { mode: 'atomic', operations } }),
    );
    this.kept.take(body.results.flatMap(({ record }) => (record === undefined ? [] : [record])));
  }

  /** One piece of work. @throws Found */
  async turn(): Promise<void> {
    const works = [
      () => this.#changeNumber(),
      () => this.#changeNumber(),
      () => this.#update(),
      () => this.#update(),
      () => this.#readOne(),
      () => this.#readOne(),
      () => this.#readOne(),
      () => this.readAll(),
      () => this.#count(),
      () => this.#batch(),
      () => this.#refusedUpdate(),
      () => this.#exportAll(),
      ...(this.#duty.entity === 'ticket'
        ? [() => this.#importSome(), () => this.#readByIndex(), () => this.#search(), () => this.#readAsMember()]
        : []),
    ];
    const work = works[Math.floor(Math.random() * works.length)];
    await work?.();
  }

  /** Every record by the pages of the list. */
  async readAll(): Promise<void> {
    const read: StoredRecord[] = [];
    let cursor = '';
    do {
      const page = await this.#get<Page>(`/list/${this.#entity}?pagesize=15${cursor}`);
      read.push(...page.items);
      cursor = page.nexttoken === null ? '' : `&nexttoken=${encodeURIComponent(page.nexttoken)}`;
    } while (cursor !== '');
    this.#holdTo(read);
  }

  get #entity(): string {
    return this.#duty.entity;
  }

  /** The admin, with one of the tokens that are held: all of them are good. */
  get #admin(): AppUser {
    const { admin, held } = this.#duty.workplace;
    return { ...admin, token: held[Math.floor(Math.random() * held.length)] ?? admin.token };
  }

  async #changeNumber(): Promise<void> {
    if (this.kept.size < usualCount || (this.kept.size < usualCount * 1.1 && Math.random() < 0.5)) await this.#create();
    else await this.#remove();
  }

  async #create(): Promise<void> {
    const headers = { 'idempotency-key': random() };
    const options = { body: this.#body(), headers };
    const send = () => act(this.#admin, 'POST', `/create/${this.#entity}`, options);
    const { body } = await this.#caller.ask(`create ${this.what}`, 201, send);
    this.kept.take([body]);
    if (Math.random() > 0.1) return;
    const again = await this.#caller.ask(`create ${this.what} again`, 201, send);
    if (again.body.id !== body.id) throw this.#wrong('a request that was repeated counted twice');
  }

  async #remove(): Promise<void> {
    for (const { id } of this.kept.any()) {
      await this.#caller.ask(`delete ${this.what}`, { statuses: [204], whenRepeated: [404] }, () =>
        act(this.#admin, 'DELETE', `/delete/${this.#entity}/${id}`),
      );
      this.kept.remove([id]);
      await this.#caller.ask(`get a deleted ${this.what}`, 404, () =>
        act(this.#admin, 'GET', `/item/${this.#entity}/${id}`),
      );
    }
  }

  async #update(): Promise<void> {
    for (const known of this.kept.any()) {
      const change = this.#entity === 'thing' ? thingBody() : ticketBody();
      const { body: changed } = await this.#caller.ask(`update ${this.what}`, 200, () =>
        act(this.#admin, 'PUT', `/update/${this.#entity}/${known.id}`, { body: change }),
      );
      this.kept.take([changed]);
      if (changed.version <= known.version || changed.title !== change.title)
        throw this.#wrong('an update changed nothing');
    }
  }

  /** By a version that was: nothing may come of it. */
  async #refusedUpdate(): Promise<void> {
    for (const { id } of this.kept.any())
      await this.#caller.ask(`update a former ${this.what}`, 412, () =>
        act(this.#admin, 'PUT', `/update/${this.#entity}/${id}`, {
          body: { title: 'no' },
          headers: { 'if-match': '"1"' },
        }),
      );
  }

  async #readOne(): Promise<void> {
    for (const known of this.kept.any()) {
      const path = `/item/${this.#entity}/${known.id}`;
      const reply = await this.#caller.ask(`get ${this.what}`, 200, () => act(this.#admin, 'GET', path));
      this.#holdTo([reply.body], [known]);
      const headers = { 'if-none-match': reply.headers.get('etag') ?? '' };
      if (Math.random() < 0.2)
        await this.#caller.ask(`get ${this.what} unchanged`, 304, () => act(this.#admin, 'GET', path, { headers }));
    }
  }

  async #count(): Promise<void> {
    const { count } = await this.#get<{ readonly count: number }>(`/count/${this.#entity}`);
    if (count !== this.kept.size) throw this.#wrong(`${count} are counted, and there are ${this.kept.size}`);
  }

  /** As many are made as are removed. */
  async #batch(): Promise<void> {
    const [changed, ...gone] = this.kept.any(3);
    if (changed === undefined) return;
    const made = gone.map(() => creating(this.#entity, this.#body()));
    const operations = [
      ...made,
      updating(this.#entity, changed, { title: 'batch' }),
      ...gone.map((record) => deleting(this.#entity, record)),
    ];
    const mode = Math.random() < 0.5 ? 'atomic' : 'independent';
    const options = { body: { mode, operations }, headers: { 'idempotency-key': random() } };
    const reply: Reply<Results> = await this.#caller.ask(`batch of ${this.what}`, 200, () =>
      act<Results>(this.#admin, 'POST', '/batch', options),
    );
    const records = reply.body.results.flatMap(({ record }) => (record === undefined ? [] : [record]));
    this.kept.take(records);
    this.kept.remove(gone.map(({ id }) => id));
    if (records.length !== made.length + 1) throw this.#wrong(`a batch was answered ${reply.text}`);
  }

  async #exportAll(): Promise<void> {
    const format = Math.random() < 0.5 ? 'csv' : 'jsonl';
    const reply = await this.#caller.ask(`export ${this.what}`, 200, () =>
      transfer(this.#admin, `/export/${this.#entity}?format=${format}`),
    );
    if (format === 'csv') return;
    const lines = reply.text.split('\n').slice(0, -1);
    this.#holdTo(lines.map((line) => JSON.parse(line) as StoredRecord));
  }

  /** Changes some by their unique value, and reads what became of them. */
  async #importSome(): Promise<void> {
    const chosen = this.kept.any(4);
    const title = `import ${random()}`;
    const body = jsonLines(chosen.map(({ code }) => ({ code, title })));
    const isTrial = Math.random() < 0.3;
    const path = `/import/ticket?upsert=code${isTrial ? '&dry_run=true' : ''}`;
    const reply = await this.#caller.ask(`import ${this.what}`, 200, () =>
      transfer<ImportResult>(this.#admin, path, { method: 'POST', body, headers: jsonl }),
    );
    if (reply.body.updated !== chosen.length || reply.body.failed > 0)
      throw this.#wrong(`an import said ${reply.text}`);
    for (const { id, version } of isTrial ? [] : chosen) {
      const changed = await this.#get<StoredRecord>(`/item/ticket/${id}`);
      this.kept.take([changed]);
      if (changed.title !== title || changed.version <= version) throw this.#wrong('an import changed nothing');
    }
  }

  async #readByIndex(): Promise<void> {
    const score = Math.floor(Math.random() * 100);
    const { items } = await this.#get<Page>(
      `/list/ticket?score=${score}&score_op=lt&sortby=score&sortdir=desc&pagesize=200`,
    );
    this.#holdTo(items, this.#below(score));
    await this.#get(`/list/ticket?view=short&pagesize=5`);
  }

  async #search(): Promise<void> {
    for (const { title } of this.kept.any()) {
      const [word = ''] = String(title).split(' ').slice(-1);
      const { items } = await this.#get<Page>(`/list/ticket?q=${word}&pagesize=200`);
      const expected = this.kept.all().filter((record) => String(record.title).split(' ').at(-1) === word);
      this.#holdTo(items, expected);
    }
  }

  async #readAsMember(): Promise<void> {
    const { member } = this.#duty.workplace;
    const { body } = await this.#caller.ask(`list ${this.what} as a member`, 200, () =>
      act<Page>(member, 'GET', '/list/ticket?pagesize=200'),
    );
    this.#holdTo(body.items, this.#below(seenBelow));
  }

  #below(score: number): readonly StoredRecord[] {
    return this.kept.all().filter((record) => Number(record.score) < score);
  }

  /** The parts of a new one. */
  #body(): ChangeBody {
    const { team } = this.#duty.workplace;
    return this.#entity === 'thing' ? thingBody() : { ...ticketBody(), code: random(), team_id: team.id };
  }

  async #get<Body>(path: string): Promise<Body> {
    const reply = await this.#caller.ask(`GET ${path.split('?')[0]} of ${this.what}`, 200, () =>
      act<Body>(this.#admin, 'GET', path),
    );
    return reply.body;
  }

  #holdTo(read: readonly StoredRecord[], expected?: readonly StoredRecord[]): void {
    const difference = this.kept.differenceTo(read, expected);
    if (difference !== undefined) throw this.#wrong(difference);
  }

  #wrong(what: string) {
    return this.#caller.found('wrong record', `${this.what}: ${what}`);
  }
}

type ChangeBody = Readonly<Record<string, unknown>> & { readonly title: string };

function thingBody(): ChangeBody {
  return {
    ...everyValue,
    title: random().slice(0, 5),
    amount: Math.floor(Math.random() * 100),
    notes: { a: [random()] },
  };
}

function ticketBody(): ChangeBody {
  return { title: `ticket ${random()}`, score: Math.floor(Math.random() * 100), secret: random() };
}
