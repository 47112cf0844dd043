import type { SiteFiles } from './site-files.ts';

/** A site that is built beside the platform, or comes built. */
export type SiteState<Files> =
  | { readonly is: 'off' }
  | { readonly is: 'building' }
  | { readonly is: 'missing' }
  | { readonly is: 'built'; readonly files: Files };

/** What the management gateway knows of its console. */
export interface ConsoleSource {
  /** Asked for each request, because a build may end while the platform runs. */
  current(): ConsoleState;
  /** Where browsers reach the app gateway; undefined where it is switched off. */
  appAddress(): AppAddress | undefined;
  /** The path of the management gateway's public address, with a slash at its end. */
  readonly basePath: string;
}

export const noConsole: ConsoleSource = {
  current: () => ({ is: 'off' }),
  appAddress: () => undefined,
  basePath: '/',
};

export type ConsoleState = SiteState<ConsoleFiles>;

export interface ConsoleFiles {
  /** The page, with the marks that each reply fills. */
  readonly page: string;
  readonly assets: SiteFiles;
}

/** The public address if there is one, or the port, at which the gateway is reached by the name of the request's host. */
export type AppAddress = { readonly url: string } | { readonly port: number };

/** What the gateways know of the documentation, which both serve files of. */
export interface DocsSource {
  current(): SiteState<SiteFiles>;
}

export const noDocs: DocsSource = { current: () => ({ is: 'off' }) };
