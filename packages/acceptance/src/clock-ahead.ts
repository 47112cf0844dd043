/** Loaded into a platform under test: its clock is ahead by so many milliseconds. */
const ahead = Number(process.env.FREEHOLD_TEST_CLOCK_AHEAD);
const { now } = Date;
Date.now = () => now.call(Date) + ahead;
