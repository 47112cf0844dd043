import { systemEntityNames } from '@freehold/contract/system-entities';
import { callExamples } from '../openapi/examples.ts';
import { type OpenapiDocument, type Operation, operationsOf } from '../openapi/openapi.ts';
import { elementsOf } from '../render/elements.ts';
import { namedSchemaTree, operationTree } from '../render/operation.ts';
import { namesIn } from '../render/schema.ts';
import { type Child, h, sentence } from '../render/tree.ts';
import { Refusal, readDocument, signIn } from './app-api.ts';
import { addCopyButtons } from './copy.ts';

export function openAppDocs(): void {
  const content = document.querySelector<HTMLElement>('#content article');
  const pages = document.querySelector<HTMLElement>('#pages');
  if (content === null || pages === null) return;
  const base = `${location.origin}${location.pathname.replace(/\/docs$/, '')}`;
  new AppDocs({ content, pages, base }).askForToken();
}

interface PageElements {
  readonly content: HTMLElement;
  readonly pages: HTMLElement;
  /** The address of the app. */
  readonly base: string;
}

class AppDocs {
  readonly #parts: PageElements;
  #document: OpenapiDocument | undefined;
  #token = '';
  /** The group that is shown. */
  #tag = '';

  constructor(parts: PageElements) {
    this.#parts = parts;
    addEventListener('hashchange', () => this.#show());
  }

  askForToken(): void {
    const { content, base } = this.#parts;
    content.replaceChildren(...elementsOf(signInTree()));
    const reported = content.querySelector<HTMLElement>('[role="alert"]');
    for (const form of content.querySelectorAll('form'))
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        const data = new FormData(form);
        const text = (name: string) => String(data.get(name) ?? '').trim();
        const token =
          form.dataset.kind === 'token'
            ? Promise.resolve(text('token'))
            : signIn(base, {
                clientId: text('client_id'),
                email: text('email'),
                password: String(data.get('password')),
              });
        reported?.replaceChildren();
        token
          .then(async (known) => {
            this.#document = await readDocument(base, known, usualView);
            this.#token = known;
            this.#showPages();
            this.#show();
          })
          .catch((error: unknown) => reported?.replaceChildren(messageOf(error)));
      });
  }

  /** The groups of routes, those of the app's own entities first. */
  get #groups(): OpenapiDocument['tags'] {
    const { tags = [], paths = {} } = this.#document ?? {};
    const lists = Object.keys(paths).filter((path) => path.includes('/list/'));
    const isOwn = ({ name }: { readonly name: string }): boolean =>
      !systemEntityNames.includes(name) && lists.some((path) => path.endsWith(`/list/${name}`));
    return [...tags.filter(isOwn), ...tags.filter((tag) => !isOwn(tag))];
  }

  #showPages(): void {
    const { pages } = this.#parts;
    const tags = this.#groups;
    pages.replaceChildren(
      ...elementsOf([filterTree(), h('ul', {}, ...tags.map(({ name }) => h('li', {}, tagLink(name)))), endTree]),
    );
    const input = pages.querySelector('input');
    input?.addEventListener('input', () => {
      for (const item of pages.querySelectorAll('li')) item.hidden = !item.textContent?.includes(input.value.trim());
    });
    pages.querySelector('button')?.addEventListener('click', () => {
      this.#document = undefined;
      this.#token = '';
      pages.replaceChildren();
      this.askForToken();
    });
  }

  /** Shows the group that the address names after `#tag=`; other anchors lie within the group that is shown. */
  #show(): void {
    const read = this.#document;
    const { content } = this.#parts;
    if (read === undefined) return;
    const isShown = content.querySelector('.route') !== null;
    if (isShown && !location.hash.startsWith(tagMark)) return;
    this.#showGroup(read);
    scrollTo(0, 0);
    content.querySelector('h1')?.focus();
  }

  #showGroup(read: OpenapiDocument): void {
    const { content, pages, base } = this.#parts;
    const wanted = location.hash.startsWith(tagMark) ? decoded(location.hash.slice(tagMark.length)) : this.#tag;
    const groups = this.#groups;
    const tag = groups.find(({ name }) => name === wanted) ?? groups[0];
    if (tag === undefined) return;
    this.#tag = tag.name;
    const operations = operationsOf(read).filter((operation) => operation.tag === tag.name);
    content.replaceChildren(...elementsOf(groupTree(read, { ...tag, operations, base })));
    for (const link of pages.querySelectorAll('a'))
      if (link.textContent === tag.name) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    addCopyButtons(content);
    content.querySelector('select')?.addEventListener('change', ({ currentTarget }) => {
      void this.#showView((currentTarget as HTMLSelectElement).value);
    });
  }

  /** Shows the group again, with the replies as a call with the view has them. */
  async #showView(view: string): Promise<void> {
    const { content, base } = this.#parts;
    const before = this.#document;
    const read = await readDocument(base, this.#token, view).catch((error: unknown) => messageOf(error));
    if (this.#document !== before || before === undefined) return;
    if (typeof read === 'string') {
      content.querySelector('[role="alert"]')?.replaceChildren(read);
      return;
    }
    this.#document = read;
    this.#showGroup(read);
    content.querySelector('select')?.focus();
  }
}

const usualView = 'default';

const tagMark = '#tag=';

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function messageOf(error: unknown): string {
  return error instanceof Refusal ? error.message : 'The platform did not answer.';
}

function signInTree(): readonly Child[] {
  return [
    h('h1', {}, 'The API of this app'),
    h('p', {}, 'Sign in as a user of the app. The document names its entities and fields, so it takes a token.'),
    h(
      'form',
      { 'data-kind': 'password' },
      ...field('client_id', 'Client id', { autocomplete: 'off' }),
      ...field('email', 'Email', { type: 'email', autocomplete: 'username' }),
      ...field('password', 'Password', { type: 'password', autocomplete: 'current-password' }),
      h('button', { type: 'submit' }, 'Sign in'),
    ),
    h(
      'details',
      {},
      h('summary', {}, 'Use a token'),
      h(
        'form',
        { 'data-kind': 'token' },
        ...field('token', 'App token or service key', { type: 'password', autocomplete: 'off' }),
        h('button', { type: 'submit' }, 'Show the API'),
      ),
    ),
    h('p', { role: 'alert', class: 'refusal' }),
    h('p', { class: 'media' }, 'The token stays in this page, and is gone when it is closed or loaded again.'),
  ];
}

function field(name: string, label: string, attributes: Readonly<Record<string, string>>): readonly Child[] {
  const id = `field-${name}`;
  return [h('label', { for: id }, label), h('input', { id, name, required: '', ...attributes })];
}

function filterTree(): Child {
  return h('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter the groups', autocomplete: 'off' });
}

const endTree = h('button', { type: 'button' }, 'Forget the token');

function tagLink(name: string): Child {
  return h('a', { href: `${tagMark}${encodeURIComponent(name)}` }, name);
}

interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  readonly base: string;
}

function groupTree(read: OpenapiDocument, { name, description, operations, base }: Group): readonly Child[] {
  const names = namesIn(read.components.schemas ?? {}, operations).filter((one) => !one.startsWith('Problem'));
  const link = (one: string) => (names.includes(one) ? `#schema-${one}` : undefined);
  const url = base.replace(/\/app\/[^/]+$/, '');
  return [
    h('h1', { tabindex: '-1' }, name),
    h('p', {}, ...sentence(description)),
    ...viewTree(operations),
    h(
      'ul',
      { class: 'routes' },
      ...operations.map(({ operationId, method, path, summary }) =>
        h(
          'li',
          {},
          h('span', { class: `method ${method.toLowerCase()}` }, method),
          ' ',
          h('a', { href: `#${operationId}` }, h('code', {}, path)),
          ' ',
          ...sentence(summary),
        ),
      ),
    ),
    ...operations.map((operation) =>
      operationTree(operation, {
        document: read,
        link,
        examples: callExamples({ document: read, operation, url }),
      }),
    ),
    ...(names.length === 0 ? [] : [h('h2', { id: 'schemas' }, 'Schemas')]),
    ...names.map((one) => namedSchemaTree(read, one, link)),
  ];
}

/** A choice of the views that the calls of the group take. */
function viewTree(operations: readonly Operation[]): readonly Child[] {
  const parameters = operations.flatMap((operation) =>
    operation.parameters.filter((one) => one['x-views'] !== undefined),
  );
  const views = [...new Set(parameters.flatMap((one) => one['x-views'] ?? []))];
  if (views.length === 0) return [];
  const shown = parameters.find(({ required }) => required === true)?.schema.enum?.[0] ?? usualView;
  const options = views.map((view) => h('option', view === shown ? { selected: '' } : {}, view));
  return [
    h('form', {}, h('label', { for: 'view' }, 'Replies by the view'), h('select', { id: 'view' }, ...options)),
    h('p', { role: 'alert', class: 'refusal' }),
  ];
}
