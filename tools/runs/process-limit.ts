/** Preloaded into each test file, ends a process that would not end by itself: the runner then names its file. */
import { isMainThread } from 'node:worker_threads';

const milliseconds = Number(process.env.FREEHOLD_TEST_PROCESS_MILLISECONDS);

if (isMainThread && milliseconds > 0)
  setTimeout(() => {
    console.error(`the process of these tests has not ended within ${milliseconds / 1000} s`);
    process.exit(1);
  }, milliseconds).unref();
