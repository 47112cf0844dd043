/** The origin of the management gateway's own pages: of the address that was set, else of where this process listens. */
export interface ManagementOrigin {
  /** Whether a page of this origin is one of them. */
  is(origin: string): boolean;
  /** Notes where the management gateway of this process listens. */
  listening(url: string): void;
}

/** Names by which a browser on this machine may call it; none of them can be given to another one. */
const ownNames = ['localhost', '127.0.0.1', '[::1]'];

export function createManagementOrigin(managementUrl: string | undefined): ManagementOrigin {
  let origins = new Set(managementUrl === undefined ? [] : [new URL(managementUrl).origin]);
  return {
    is: (origin) => origins.has(origin),
    listening: (url) => {
      if (managementUrl === undefined) origins = new Set(originsAt(url));
    },
  };
}

function originsAt(url: string): readonly string[] {
  const { origin, protocol, port } = new URL(url);
  return [origin, ...ownNames.map((name) => new URL(`${protocol}//${name}:${port}`).origin)];
}
