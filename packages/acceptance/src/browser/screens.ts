/** `npm run screens`: a picture of every screen, light and dark, with the data of the demo, in `docs/screens/`. */
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { backupSettings } from '../operator-backups.ts';
import { type Platform, startPlatform, temporaryDirectory } from '../platform.ts';
import { skip, watchedContext } from './browser.ts';
import { signInAs } from './console-pages.ts';
import { pictures } from './pictures.ts';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'screens');
const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 800 } } as const;

const written: number[] = [];

interface Demo {
  readonly org: string;
  readonly builder: { readonly email: string; readonly password: string };
}

async function takePictures(): Promise<void> {
  const backups = { ...backupSettings(temporaryDirectory()), FREEHOLD_BACKUP_SCHEDULE: '0 3 * * *' };
  const platform = await startPlatform({ env: { FREEHOLD_CONSOLE: 'on', FREEHOLD_DEMO: 'on', ...backups } });
  const demo = await completeDemo(platform);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    const watched = await watchedContext(platform, { colorScheme, viewport: sizes.wide });
    const page = await watched.newPage();
    for (const picture of pictures.filter(({ isBeforeSignIn }) => isBeforeSignIn === true)) {
      await page.goto(picture.path(demo));
      await shoot(page, `${picture.name}-${colorScheme}`);
    }
    await signInAs(page, demo.builder, demo.builder.password);
    await page.close();
    // A page that holds what is not saved asks before it is left, and does not when it is closed.
    for (const { name, path, show, isNarrow } of pictures.filter(({ isBeforeSignIn }) => isBeforeSignIn !== true)) {
      const page = await watched.newPage();
      await page.setViewportSize(isNarrow === true ? sizes.narrow : sizes.wide);
      await page.goto(path(demo));
      await show?.(page);
      await shoot(page, `${name}-${colorScheme}`);
      await page.close();
    }
    await watched.context.close();
    for (const fault of watched.faults()) console.log(`${colorScheme}: ${fault}`);
  }
  await platform.kill();
}

/** The platform serves while the demo is being made, and prints it when it is complete. */
async function completeDemo({ child, stdout, dataDir }: Platform): Promise<Demo> {
  while (child.stdout !== null && !stdout().includes('demo.jwt')) await once(child.stdout, 'data');
  return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo;
}

const settlingMilliseconds = 400;
const quality = 50;

/** As WebP, a fifth of a PNG: every clone has all of them. */
async function shoot(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  // wall time: a picture that is taken while something still moves is taken again.
  await page.waitForTimeout(settlingMilliseconds);
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality });
  await browser.detach();
  const bytes = Buffer.from(data, 'base64');
  writeFileSync(join(folder, `${name}.webp`), bytes);
  written.push(bytes.length);
  console.log(`docs/screens/${name}.webp  ${Math.ceil(bytes.length / 1024)} KB`);
}

if (skip === false) {
  await takePictures();
  const kilobytes = written.reduce((sum, bytes) => sum + bytes, 0) / 1024;
  console.log(`${written.length} pictures, ${Math.ceil(kilobytes)} KB of at most 3072`);
} else console.log(skip);
process.exit();
