import { appPageHtml } from '../src/site/layout.ts';
import { searchIndexText } from '../src/site/search-index.ts';
import { siteFiles, siteGroups } from '../src/site/site.ts';
import { addNamed, buildAssets } from './assets.ts';
import { readDocuments } from './documents.ts';
import { readSources } from './sources.ts';

/** Every file of the site by its path. */
export async function buildSite(): Promise<ReadonlyMap<string, string>> {
  const [documents, { files: assets, names }] = await Promise.all([readDocuments(), buildAssets()]);
  const groups = siteGroups(readSources(), [
    { name: 'management', title: 'Management API', document: documents.management, url: 'http://127.0.0.1:4001' },
    { name: 'app', title: 'App API', document: documents.app, url: 'http://127.0.0.1:4000' },
  ]);
  const files = new Map(assets);
  const searchIndex = addNamed(files, 'assets/search.json', searchIndexText(groups.flatMap(({ pages }) => pages)));
  return new Map([
    ...siteFiles(groups, { ...names, searchIndex }),
    ['app-docs.html', appPageHtml({ ...names, searchIndex })],
    ...files,
  ]);
}
