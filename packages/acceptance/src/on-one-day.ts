import { type TestContext, type TestOptions, test } from 'node:test';

type Body = (t: TestContext) => Promise<void>;

/** A test that counts what an org uses in a day. If a day of UTC ends in the middle, the counts begin again, and so does the test. */
export function testOnOneDay(name: string, ...[given, more]: [Body] | [TestOptions, Body]): void {
  const [options, body] = typeof given === 'function' ? [{}, given] : [given, more];
  if (body !== undefined) void test(name, options, onOneDay(body));
}

export function onOneDay(body: Body, now: () => number = Date.now): Body {
  const day = (): number => Math.floor(now() / 86_400_000);
  return async (t) => {
    const before = day();
    try {
      await body(t);
    } catch (error) {
      if (day() === before) throw error;
      await body(t);
    }
  };
}
