/** A writer for tests: it starts well and dies with the first group that it is sent. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => process.exit(3));
parentPort?.postMessage('ready');
