import MiniSearch from 'minisearch';
import { type MatchedPage, searched, searchOptions } from './search-options.ts';

const foundMax = 12;

/** The search of the page's head: a combobox (WAI-ARIA 1.2) whose index is fetched when it is first used. */
export function openSearch(): void {
  const place = document.querySelector<HTMLElement>('.search');
  if (place === null) return;
  const input = element('input', {
    type: 'search',
    role: 'combobox',
    placeholder: 'Search (press /)',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': 'Search the docs',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': 'found',
  });
  const list = element('ul', { id: 'found', role: 'listbox', 'aria-label': 'Found pages' });
  const status = element('p', { class: 'said', role: 'status' });
  list.hidden = true;
  place.append(input, list, status);
  const search = new Search({ input, list, status }, place.dataset.root ?? '', place.dataset.index ?? '');
  input.addEventListener('focus', () => void search.load());
  input.addEventListener('input', () => void search.show());
  input.addEventListener('keydown', (event) => search.press(event));
  // Before the input loses the focus, which closes the list.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target }) =>
    search.open((target as Element).closest('[role="option"]') ?? undefined),
  );
  place.addEventListener('focusout', ({ relatedTarget }) => {
    if (!place.contains(relatedTarget as Node | null)) search.close();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    input.focus();
  });
}

interface SearchElements {
  readonly input: HTMLInputElement;
  readonly list: HTMLUListElement;
  readonly status: HTMLParagraphElement;
}

class Search {
  readonly #parts: SearchElements;
  readonly #root: string;
  readonly #address: string;
  #index: Promise<MiniSearch<MatchedPage> | undefined> | undefined;
  #at = -1;

  constructor(parts: SearchElements, root: string, address: string) {
    this.#parts = parts;
    this.#root = root;
    this.#address = address;
  }

  load(): Promise<MiniSearch<MatchedPage> | undefined> {
    this.#index ??= fetch(this.#address)
      .then(async (response) =>
        response.ok ? MiniSearch.loadJSON<MatchedPage>(await response.text(), searchOptions) : undefined,
      )
      .catch(() => undefined);
    return this.#index;
  }

  async show(): Promise<void> {
    const { input, list, status } = this.#parts;
    const words = input.value.trim();
    const index = await this.load();
    if (words !== input.value.trim()) return;
    const found = words === '' || index === undefined ? [] : searched(index, words).slice(0, foundMax);
    this.#at = -1;
    input.removeAttribute('aria-activedescendant');
    list.replaceChildren(
      ...found.map(({ id, title, heading }, position) => {
        const option = element('li', { id: `found-${position}`, role: 'option', 'aria-selected': 'false' });
        option.dataset.to = `${this.#root}${id}`;
        option.append(element('span', {}, heading === '' ? title : heading));
        if (heading !== '') option.append(element('small', {}, title));
        return option;
      }),
    );
    list.hidden = found.length === 0;
    input.setAttribute('aria-expanded', String(found.length > 0));
    status.textContent = describe(words, found.length, index !== undefined);
  }

  press(event: KeyboardEvent): void {
    const { list, input } = this.#parts;
    const options = [...list.children];
    if (event.key === 'Escape') {
      if (list.hidden) input.blur();
      this.close();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      this.#choose(options, event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter' && !list.hidden) {
      event.preventDefault();
      this.open(options[this.#at] ?? options[0]);
    }
  }

  open(option: Element | undefined): void {
    const to = option instanceof HTMLElement ? option.dataset.to : undefined;
    this.close();
    if (to !== undefined) location.assign(to);
  }

  close(): void {
    const { list, input, status } = this.#parts;
    list.hidden = true;
    status.textContent = '';
    this.#at = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }

  #choose(options: readonly Element[], step: number): void {
    if (options.length === 0) return;
    options[this.#at]?.setAttribute('aria-selected', 'false');
    const next = this.#at + step;
    this.#at = next < 0 ? options.length - 1 : next % options.length;
    const chosen = options[this.#at];
    chosen?.setAttribute('aria-selected', 'true');
    chosen?.scrollIntoView({ block: 'nearest' });
    this.#parts.input.setAttribute('aria-activedescendant', chosen?.id ?? '');
  }
}

function describe(words: string, count: number, isLoaded: boolean): string {
  if (words === '') return '';
  if (!isLoaded) return 'The search could not be loaded.';
  return count === 0 ? 'Nothing is found.' : `${count} found. Choose one with the arrow keys.`;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>>,
  text = '',
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== '') made.textContent = text;
  return made;
}
