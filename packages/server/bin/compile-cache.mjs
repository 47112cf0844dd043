// Node 24.7 or newer: plain JavaScript, so that it is loaded before anything that is worth keeping.
import { constants, enableCompileCache } from 'node:module';
import { cacheFolder } from './cache-folder.mjs';

/** Keeps compiled code from one start to the next. Without a folder for it everything is compiled as ever. */
export function keepCompiledCode() {
  const folder = cacheFolder('compiled');
  if (folder === undefined) return;
  const { status } = enableCompileCache(folder);
  // By the variable the threads that write the stores use it too.
  if (status === constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = folder;
}
