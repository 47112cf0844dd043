/**
 * The server, the command line and all packages that they use, as JavaScript: Node erases no types below `node_modules`. What looks
 * up its own place keeps it, the launcher and `installation.ts`; everything else lies in chunks.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

const launcher = 'packages/server/bin/freehold.mjs';
const installation = 'packages/server/src/lib/installation';

/** What packages ask for where it is there, and do without. */
const optional = ['pg-native', 'cloudflare:sockets'];

/** @returns the files that went into it, as paths from the root. */
export async function bundleServer(root: string, folder: string): Promise<readonly string[]> {
  const bundle = await rolldown({
    cwd: root,
    input: join(root, launcher),
    platform: 'node',
    external: optional,
    transform: { define: { 'import.meta.main': 'false' } },
    plugins: [addressedFiles(root)],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: ({ facadeModuleId }) =>
      facadeModuleId === join(root, launcher) ? launcher : 'packages/chunks/[name].js',
    chunkFileNames: ({ name }) => (name === installation ? '[name].js' : 'packages/chunks/[name].js'),
    assetFileNames: 'packages/chunks/[name][extname]',
    banner: ({ facadeModuleId }) => (facadeModuleId === join(root, launcher) ? readMaps : ''),
    codeSplitting: { groups: [{ name: installation, test: /\/packages\/server\/src\/lib\/installation\.ts$/ }] },
    // The maps name the places of a clone, which stacks then show. Their texts are not needed for that.
    sourcemap: true,
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (source, map) => sourceInRelease(source, { map, root, folder }),
  });
  await bundle.close();
  const chunks = output.filter((one) => one.type === 'chunk');
  assertWhole(chunks);
  return chunks.flatMap(({ moduleIds }) => moduleIds).map((id) => relative(root, id).replaceAll(sep, '/'));
}

/**
 * A file that a module names by its address from the module, `new URL('./file', import.meta.url)`: the program of a thread is an entry
 * of its own, and other files are taken along as they are.
 */
function addressedFiles(root: string): Plugin {
  const mayLookUpItsPlace = [launcher, `${installation}.ts`].map((path) => join(root, path));
  return {
    name: 'addressed-files',
    resolveId: (id) => (id.startsWith(thread) ? id : null),
    load: (id) => (id.startsWith(thread) ? threadProgram(join(root, id.slice(thread.length))) : null),
    transform: {
      filter: { code: 'import.meta.' },
      handler(code, id) {
        const replaced = code.replaceAll(addressed, (_, __, name) => {
          const path = join(dirname(id), name);
          const reference = name.endsWith('.ts')
            ? this.emitFile({ type: 'chunk', id: `${thread}${relative(root, path)}`, name: name.replace(/\.ts$/, '') })
            : this.emitFile({ type: 'asset', name, source: readFileSync(path) });
          return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`;
        });
        if (id.startsWith(join(root, 'packages')) && !mayLookUpItsPlace.includes(id) && ownPlace.test(replaced))
          throw new Error(`${id} looks up its own place, which is another one in a release: see ${installation}.ts`);
        return { code: replaced, map: null };
      },
    },
  };
}

const thread = '\0thread:';

/** Before anything is loaded that has a map. An older Node, on which the launcher only hands over, does not know this. */
const readMaps = `import module from 'node:module';
module.setSourceMapsSupport?.(true, { nodeModules: true });
`;

function threadProgram(path: string): string {
  return `${readMaps}await import(${JSON.stringify(path)});\n`;
}

const addressed = /new URL\((['"])(?:\.\/)?([\w-]+\.(?:ts|wasm|json))\1, ?import\.meta\.url\)/g;
const ownPlace = /import\.meta\.(?:url|dirname|filename)/;

interface BundlePaths {
  /** The path of the map. */
  readonly map: string;
  readonly root: string;
  readonly folder: string;
}

/** Sources lie in the release where they lie in a clone, though only their names are there. */
function sourceInRelease(source: string, { map, root, folder }: BundlePaths): string {
  const path = relative(root, join(dirname(map), source));
  return relative(dirname(map), join(folder, path)).replaceAll(sep, '/');
}

/** @throws Error if a chunk asks for a package at run time, or the paths of the installation are not where they have to be. */
function assertWhole(chunks: readonly OutputChunk[]): void {
  const names = new Set(chunks.map(({ fileName }) => fileName));
  if (!names.has(`${installation}.js`)) throw new Error(`the bundle has no ${installation}.js`);
  for (const { fileName, imports, dynamicImports } of chunks)
    for (const name of [...imports, ...dynamicImports])
      if (!names.has(name) && !isBuiltin(name) && !optional.includes(name))
        throw new Error(`${fileName} imports ${name}, which no release has`);
}
