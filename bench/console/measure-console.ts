/**
 * How fast the console shows itself, and what scrolling costs.
 *
 *   npm run bench -- console [--records 100000] [--entities 500] [--visits 5] [--frames 300]
 *
 * A platform on loopback addresses has one org with so many records and entities. Each visit is that of a signed-in builder whose browser
 * has nothing in its cache. Printed are the medians of: when the page first paints content, when what the screen is about stands there and the
 * page answers, the calls that this took, and what scripts and all else computed in a scrolled frame, as the browser's own counters say.
 */
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { skip, type WatchedContext, watchedContext } from '../../packages/acceptance/src/browser/browser.ts';
import { signInAs } from '../../packages/acceptance/src/browser/console-pages.ts';
import { defineEntity, definition, foundedOrg, type Org } from '../../packages/acceptance/src/org.ts';
import { type Platform, startPlatform } from '../../packages/acceptance/src/platform.ts';
import { median } from '../measure.ts';
import { csv, orders, send } from '../orders.ts';

type Page = Awaited<ReturnType<WatchedContext['newPage']>>;
type State = Awaited<ReturnType<WatchedContext['context']['storageState']>>;

interface Sizes {
  readonly records: number;
  readonly entities: number;
  readonly rounds: number;
  readonly frames: number;
}

interface Screen {
  readonly name: string;
  readonly path: string;
  /** The subject of the screen: once it is shown, the user can begin. */
  readonly content: string;
  /** The scrolled element; `window` for the page as a whole. */
  readonly scrolled?: string;
}

function screensOf({ code }: Org): readonly Screen[] {
  const base = `/o/${code}/test`;
  return [
    { name: 'Home', path: base, content: 'h1' },
    { name: 'Entities', path: `${base}/entities`, content: 'tbody tr', scrolled: 'window' },
    { name: 'Records: entities', path: `${base}/records?w=main`, content: 'tbody tr', scrolled: 'window' },
    {
      name: 'Records: grid',
      path: `${base}/records/order?w=main`,
      content: 'table[role=grid] tbody td[data-kind=text] span[class]:not(:empty), table[role=grid] [data-copy]',
      scrolled: 'div:has(> table[role=grid])',
    },
  ];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      records: { type: 'string', default: '100000' },
      entities: { type: 'string', default: '500' },
      visits: { type: 'string', default: '5' },
      frames: { type: 'string', default: '300' },
    },
  });
  const sizes = {
    records: Number(values.records),
    entities: Number(values.entities),
    rounds: Number(values.visits),
    frames: Number(values.frames),
  };
  const platform = await startPlatform({ env: { FREEHOLD_CONSOLE: 'on' } });
  try {
    await measured(platform, sizes);
  } finally {
    await platform.terminate();
  }
}

async function measured(platform: Platform, sizes: Sizes): Promise<void> {
  const org = await filledOrg(platform, sizes);
  const signedIn = await watchedContext(platform);
  await signInAs(await signedIn.newPage(), org.builder);
  const state = await signedIn.context.storageState();
  await signedIn.context.close();
  const load = loadavg()[0]?.toFixed(1);
  console.log(`Node ${process.version}, ${availableParallelism()} cores at a load of ${load}`);
  console.log(`${sizes.records} records, ${sizes.entities} entities, ${sizes.rounds} visits, ${sizes.frames} frames`);
  const rounds = [];
  const frames = [];
  for (const screen of screensOf(org)) {
    rounds.push(await measureScreen(platform, state, screen, sizes.rounds));
    if (screen.scrolled !== undefined) frames.push(await scrolled(platform, state, screen, sizes.frames));
  }
  console.table(rounds);
  console.table(frames);
}

async function filledOrg(platform: Platform, { records, entities }: Sizes): Promise<Org> {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, orders('order'));
  const fields = [{ name: 'title' }, { name: 'order_id', colType: 'guid', lookup: { entity: 'order' } }];
  for (let at = 1; at < entities; at++)
    await defineEntity(org, definition(`entity_${String(at).padStart(3, '0')}`, fields));
  if (records > 0) await send(founder, '/import/order', csv(records));
  return org;
}

/** A page of a browser that has the session and nothing else. */
async function opened(platform: Platform, storageState: State): Promise<WatchedContext> {
  return await watchedContext(platform, { storageState, viewport: { width: 1280, height: 800 } });
}

/** Notes in each frame whether the content stands there, without touching the page. */
const watch = (selector: string) => `
  globalThis.shown = new Promise((done) => {
    const look = () => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) requestAnimationFrame(look);
      else setTimeout(() => done(performance.now()));
    };
    requestAnimationFrame(look);
  });
`;

const firstPaint = `new Promise((done) => new PerformanceObserver((list) => {
  const [painted] = list.getEntriesByName('first-contentful-paint');
  if (painted !== undefined) done(painted.startTime);
}).observe({ type: 'paint', buffered: true }))`;

async function measureScreen(platform: Platform, state: State, screen: Screen, rounds: number) {
  const [paints, shown]: [number[], number[]] = [[], []];
  let calls: readonly string[] = [];
  for (let round = 0; round < rounds; round++) {
    const browser = await opened(platform, state);
    const page = await browser.newPage();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    await page.addInitScript(watch(screen.content));
    await page.goto(screen.path);
    shown.push(await page.evaluate<number>('globalThis.shown'));
    calls = [...sent];
    paints.push(await page.evaluate<number>(firstPaint));
    await browser.context.close();
  }
  console.log(`${screen.name}: ${calls.join(', ')}`);
  return {
    screen: screen.name,
    'first content, ms': Math.round(median(paints)),
    'interactive, ms': Math.round(median(shown)),
    calls: calls.length,
  };
}

const pixelsOfFrame = 400;

/** Scrolls frame by frame, and asks the browser after each what its scripts took. */
async function scrolled(platform: Platform, state: State, screen: Screen, frames: number) {
  const browser = await opened(platform, state);
  const page = await browser.newPage();
  await page.goto(screen.path);
  await page.locator(screen.content).first().waitFor();
  const debug = await browser.context.newCDPSession(page);
  // The time that the page's thread computed, whatever else the machine does.
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => {
    const { metrics } = await debug.send('Performance.getMetrics');
    const seconds = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { script: seconds('ScriptDuration') * 1000, all: seconds('TaskDuration') * 1000 };
  };
  const scripts: number[] = [];
  const all: number[] = [];
  for (let frame = 0; frame < frames; frame++) {
    const before = await spent();
    await page.evaluate(scrollBy(screen.scrolled ?? 'window'));
    const after = await spent();
    scripts.push(after.script - before.script);
    all.push(after.all - before.all);
  }
  const depth = await depthOf(page, screen.scrolled ?? 'window');
  await browser.context.close();
  return { screen: screen.name, 'rows passed': depth, ...inFrames('script', scripts), ...inFrames('all work', all) };
}

const scrollBy = (selector: string) => `new Promise((done) => {
  const scroller = ${selector === 'window' ? 'document.scrollingElement' : `document.querySelector('${selector}')`};
  scroller.scrollTop += ${pixelsOfFrame};
  requestAnimationFrame(() => requestAnimationFrame(done));
})`;

const rowPixels = 34;

async function depthOf(page: Page, selector: string): Promise<number> {
  const scroller = selector === 'window' ? 'document.scrollingElement' : `document.querySelector('${selector}')`;
  return Math.round((await page.evaluate<number>(`${scroller}.scrollTop`)) / rowPixels);
}

function inFrames(what: string, times: readonly number[]) {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number) => Number((sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1));
  return { [`${what}, ms`]: at(0.5), [`${what}, 99 %`]: at(0.99), [`${what}, longest`]: at(1) };
}

if (skip === false) await main();
else console.log(skip);
process.exit();
