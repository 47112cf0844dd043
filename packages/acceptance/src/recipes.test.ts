/** Recipes and examples that take seconds, since another system is down in them or much is promoted. */
import { after, test } from 'node:test';
import { guidePage, guideShell } from './guide-shell.ts';
import { runExamples } from './page-examples.ts';
import { startPlatform } from './platform.ts';

const platform = await startPlatform();
after(() => platform.kill());

test('the recipe of a sync works as it is pasted: what another system refuses twice arrives by the third try', () =>
  runExamples(guidePage('docs/recipes/sync.md', platform), guideShell(platform)));
