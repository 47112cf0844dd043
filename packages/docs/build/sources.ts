/** The Markdown files that become pages, under the titles of the sidebar. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Source } from '../src/site/markdown.ts';
import type { SourceGroup } from '../src/site/site.ts';

export const root = join(import.meta.dirname, '..', '..', '..');

/** A guide that no group names is one of `Guides`. */
const guides = {
  Start: ['get-started', 'concepts', 'modelling', 'not-there-yet'],
  Guides: [
    'entities',
    'isolation',
    'access',
    'access-explain',
    'identity',
    'asking-your-data',
    'api',
    'promotion',
    'reference',
    'reserved-names',
  ],
  Automation: ['logic-blocks', 'before-events', 'events', 'schedules-and-hooks', 'templates'],
  Operation: ['operate', 'verify-tokens', 'scale', 'upgrade'],
  'How it is built': ['architecture', 'performance'],
} satisfies Readonly<Record<string, readonly string[]>>;

export function readSources(): readonly SourceGroup[] {
  const known = new Set(Object.values(guides).flat());
  const others = named('docs/*.md').filter((name) => !known.has(name) && name !== 'README');
  const pages = (title: keyof typeof guides) => guides[title].map(guide);
  return [
    { title: 'Start', sources: [source('docs/README.md', 'index.html'), ...pages('Start')] },
    { title: 'Guides', sources: [...pages('Guides'), ...others.map(guide)] },
    { title: 'Automation', sources: pages('Automation') },
    { title: 'Recipes', sources: named('docs/recipes/*.md').map((name) => page('docs/recipes', 'recipes', name)) },
    {
      title: 'Operation',
      sources: [
        ...pages('Operation'),
        source('deploy/README.md', 'guides/deploy.html'),
        source('CHANGELOG.md', 'guides/changelog.html'),
        source('CHANGELOG-EARLIER.md', 'guides/earlier-changes.html'),
      ],
    },
    { title: 'How it is built', sources: pages('How it is built') },
    { title: 'Decisions', sources: decisionSources(), isListed: false },
  ];
}

function guide(name: string): Source {
  return page('docs', 'guides', name);
}

function page(folder: string, to: string, name: string): Source {
  return source(`${folder}/${name}.md`, `${to}/${name}.html`);
}

/** The names of files, without their ending. */
function named(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: root })
    .map((file) => basename(file, '.md'))
    .toSorted();
}

function source(file: string, path: string): Source {
  return { file, path, text: readFileSync(join(root, file), 'utf8') };
}

/** The questions, and a page that lists them. */
function decisionSources(): readonly Source[] {
  const sources = named('docs/decisions/*.md').map((name) => page('docs/decisions', 'decisions', name));
  const lines = sources.map(({ file, text }) => `- [${/^# (.+)$/m.exec(text)?.[1] ?? file}](${basename(file)})`);
  const text = `# Decisions\n\nEach question that had more than one fair answer, with the answer and why.\n\n${lines.join('\n')}\n`;
  return [{ file: 'docs/decisions/README.md', path: 'decisions/index.html', text }, ...sources];
}
