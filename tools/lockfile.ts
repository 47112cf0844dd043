/** The parts of `package-lock.json` that matter here. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

/** By package name whether its install script may run, as npm reads it from package.json. */
export type AllowedScripts = Readonly<Record<string, boolean>>;

/**
 * Sentences about what would make an install depend on one registry, or run code of a package: an address in the
 * lockfile, a package without its checksum, or an install script that package.json does not list as `false`.
 */
export function checkLockfile(lockfile: Lockfile, allowed: AllowedScripts): readonly string[] {
  const locked = Object.entries(lockfile.packages).filter(([path]) => path.includes('node_modules/'));
  if (locked.length === 0) return ['the lockfile names no package'];
  return locked.flatMap(([path, { resolved, integrity, link, hasInstallScript }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return [
      ...(resolved !== undefined && link !== true ? [`${name} is bound to an address`] : []),
      ...(integrity === undefined && link !== true ? [`${name} has no checksum`] : []),
      ...(hasInstallScript === true && allowed[name] !== false ? [`${name} has an install script`] : []),
    ];
  });
}
