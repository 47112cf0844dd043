/** Where a platform is reached on this machine. */
export interface ServedUrls {
  readonly app: string | undefined;
  readonly management: string | undefined;
  readonly metrics: string | undefined;
}
