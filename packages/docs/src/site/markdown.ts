import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { escaped, htmlOf } from '../render/html.ts';
import { codeTreeOf } from '../render/operation.ts';
import { h } from '../render/tree.ts';
import { type Heading, type Page, relativePath, type Section } from './page.ts';

/** A Markdown file of the repository, and the page that it becomes. */
export interface Source {
  /** From the root of the repository: `docs/access.md`. */
  readonly file: string;
  readonly path: string;
  readonly text: string;
}

/** @param pages the paths of all pages by the files that they are made of. */
export function markdownPage({ file, path, text }: Source, pages: ReadonlyMap<string, string>): Page {
  const slugs = slugger();
  const headings: Heading[] = [];
  const sections: { id: string; heading: string; text: string }[] = [];
  let title = '';
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const words = wordsOf(tokens);
        const id = slugs(words);
        if (depth === 1) title = words;
        if (depth === 2 || depth === 3) headings.push({ depth, id, text: words });
        sections.push({ id: depth === 1 ? '' : id, heading: depth === 1 ? '' : words, text: '' });
        const inside = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${id}">${inside}</h1>\n`;
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${withoutLinks(inside)}</a></h${depth}>\n`;
      },
      code: ({ text: code, lang = '' }) => codeHtml(code, lang),
      link({ href, title: hint, tokens }) {
        const inside = this.parser.parseInline(tokens);
        const to = linkTarget({ file, path, href, pages });
        if (to === undefined) return `<span title="in the repository: ${escaped(href)}">${inside}</span>`;
        return `<a href="${escaped(to)}"${hint ? ` title="${escaped(hint)}"` : ''}>${inside}</a>`;
      },
      table(token) {
        return `<div class="table" tabindex="0">${tableHtml(token, (tokens) => this.parser.parseInline(tokens))}</div>\n`;
      },
      html: ({ text: markup }) => escaped(markup),
      image: ({ text: words }) => escaped(words),
    },
  });
  const tokens = marked.lexer(text);
  const html = marked.parser(tokens);
  fill(sections, tokens);
  return { path, title: title === '' ? file : title, html, headings, sections: sections satisfies Section[] };
}

/** The words of a page under its headings, without its code. */
function fill(sections: { text: string }[], tokens: readonly Token[]): void {
  let at = -1;
  for (const token of tokens) {
    if (token.type === 'heading') at += 1;
    const section = sections[Math.max(at, 0)];
    if (section !== undefined && token.type !== 'heading' && token.type !== 'code')
      section.text = `${section.text} ${wordsOf([token])}`.trim();
  }
}

/** What a reader sees of tokens, as words. */
function wordsOf(tokens: readonly Token[]): string {
  return tokens.map(wordsOfOne).join('').replaceAll(/\s+/g, ' ').trim();
}

function wordsOfOne(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((cells) => cells.map((cell) => `${wordsOf(cell.tokens)} `)).join('');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map((item) => `${wordsOf(item.tokens)} `).join('');
  if ('tokens' in token && token.tokens !== undefined) return wordsInOrder(token.tokens);
  if (token.type === 'code' || token.type === 'html' || token.type === 'hr') return ' ';
  return 'text' in token ? unescaped(String(token.text)) : ' ';
}

function wordsInOrder(tokens: readonly Token[]): string {
  return tokens.map(wordsOfOne).join('');
}

function unescaped(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  };
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => signs[entity] ?? entity);
}

/** The anchors that a page's headings get where repositories are shown: lower case, no marks, `-` for a space. */
function slugger(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

function withoutLinks(html: string): string {
  return html.replaceAll(/<\/?(?:a|span)\b[^>]*>/g, '');
}

function codeHtml(text: string, info: string): string {
  const [language = '', mark = ''] = info.split(' ');
  const kind = mark === 'reply' ? 'code reply' : 'code';
  return `${htmlOf(h('div', { class: kind }, codeTreeOf(text, language)))}\n`;
}

function tableHtml({ header, rows }: Tokens.Table, inline: (tokens: Token[]) => string): string {
  const row = (cells: readonly Tokens.TableCell[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell.tokens)}</${tag}>`).join('')}</tr>`;
  const isHeadless = header.every((cell) => cell.text.trim() === '');
  const head = isHeadless ? '' : `<thead>${row(header, 'th')}</thead>`;
  return `<table>${head}<tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
}

interface Linked extends Omit<Source, 'text'> {
  readonly href: string;
  readonly pages: ReadonlyMap<string, string>;
}

/** Where a link leads on the site; undefined for a file of the repository that is no page. */
function linkTarget({ file, path, href, pages }: Linked): string | undefined {
  if (/^(https?:|mailto:)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (target === '') return hash;
  const linked = posix.join(posix.dirname(file), decodeURIComponent(target)).replace(/\/$/, '');
  const page = pages.get(linked) ?? pages.get(`${linked}/README.md`);
  return page === undefined ? undefined : `${relativePath(path, page)}${hash}`;
}
