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
  readonly engines?: Readonly<Record<string, string>>;
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

/**
 * Sentences about installed packages, of every platform, that do not name this Node as one that they run on: npm warns of
 * each. The packages of the repository are left out.
 */
export function checkEngines(lockfile: Lockfile, node: string): readonly string[] {
  return Object.entries(lockfile.packages).flatMap(([path, { engines, link }]) => {
    const range = engines?.node;
    if (range === undefined || link === true || !path.includes('node_modules/')) return [];
    const accepts = isInRange(node, range);
    if (accepts === true) return [];
    return [
      accepts === false ? `${path} needs Node ${range}` : `${path} needs Node \`${range}\`, which cannot be read`,
    ];
  });
}

/** Reads the forms that engines have in lockfiles, `>=20.19`, `^20`, `20`, with `||` between them; of others it knows nothing. */
function isInRange(version: string, range: string): boolean | undefined {
  const wanted = version.split('.').map(Number);
  const verdicts = range.split('||').map((one) => {
    const [, operator, numbers] = /^\s*(>=|\^|)\s*(\d+(?:\.\d+){0,2})(?:\.x)?\s*$/.exec(one) ?? [];
    if (operator === undefined || numbers === undefined) return undefined;
    const named = numbers.split('.').map(Number);
    const isSame = named.every((number, index) => number === wanted[index]);
    if (operator === '') return isSame;
    return (isSame || isAbove(wanted, named)) && (operator === '>=' || wanted[0] === named[0]);
  });
  return verdicts.includes(undefined) ? undefined : verdicts.includes(true);
}

function isAbove(version: readonly number[], named: readonly number[]): boolean {
  const at = named.findIndex((number, index) => number !== version[index]);
  return at >= 0 && (version[at] ?? 0) > (named[at] ?? 0);
}
