/** The client as an app's build puts it into a page. */
import { join } from 'node:path';
import { build, type Rollup } from 'vite';

/** @param entry the module that is bundled, such as the client itself. @returns one minified module. */
export async function bundle(entry = join(import.meta.dirname, '..', 'src', 'client.ts')): Promise<string> {
  const output = (await build({
    configFile: false,
    logLevel: 'error',
    build: { lib: { entry, formats: ['es'] }, write: false, minify: true, target: 'es2022' },
  })) as Rollup.RollupOutput[];
  const [chunk, ...others] = output.flatMap((one) => one.output);
  if (chunk?.type !== 'chunk' || others.length > 0) throw new TypeError('the client is one module');
  return chunk.code;
}
