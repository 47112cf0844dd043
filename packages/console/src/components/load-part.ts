/**
 * Loads a later part of the console: first its files, then the module that they are.
 *
 * Browsers remember that a module did not arrive, and do not ask for it again. So each file is fetched before it is
 * imported; the import finds it in the cache of the browser, as no file of a build ever changes.
 * @param files the files of the part, relative to the script that asks for it.
 * @throws Error where a file does not arrive; the next call asks for it again.
 */
export async function loadPart<Loaded>(
  load: () => Promise<Loaded>,
  files: readonly string[] | undefined,
  importer: string,
): Promise<Loaded> {
  await Promise.all((files ?? []).map((file) => arrival(new URL(file, importer).href)));
  return load();
}

/** Of the files that were asked for and have not failed. */
const arrivals = new Map<string, Promise<void>>();

function arrival(href: string): Promise<void> {
  const known = arrivals.get(href);
  if (known !== undefined) return known;
  const requested = href.endsWith('.css') ? styleOf(href) : scriptOf(href);
  arrivals.set(href, requested);
  requested.catch(() => arrivals.delete(href));
  return requested;
}

async function scriptOf(href: string): Promise<void> {
  const page = document.querySelectorAll<HTMLScriptElement | HTMLLinkElement>('script[src], link[rel=modulepreload]');
  if ([...page].some((one) => (one instanceof HTMLScriptElement ? one.src : one.href) === href)) return;
  const reply = await fetch(href);
  if (!reply.ok) throw new Error(href);
  await reply.arrayBuffer();
}

async function styleOf(href: string): Promise<void> {
  const page = document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]');
  if ([...page].some((one) => one.href === href)) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  // As the page preloads it: the browser does not take what was preloaded in another mode, and loads it twice.
  link.crossOrigin = 'anonymous';
  await new Promise<void>((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(href));
    };
    document.head.append(link);
  });
}
