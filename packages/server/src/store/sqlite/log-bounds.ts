/** How long the write-ahead log may get. A page takes 4 KB, and 24 bytes more in the log. */

/** About 4 MB of pages; beyond that, reads get slower and a start takes longer. */
export const checkpointPages = 1024;

/**
 * 512 MB. Only a foreign program that reads one snapshot for long, such as a backup, keeps the log from being
 * restarted; one that never ends must not fill the disk, nor make the next start as long as it pleases. Beyond this, no
 * group is begun, so that the log is longer by one group at most.
 */
export const logPagesMax = 128 * 1024;

/** 384 MB: a backup gives way before commits have to. */
export const backupLogBytesMax = 384 * 1024 * 1024;

/**
 * So long after a commit the log is emptied: it holds pages as they were before later commits, and so what these removed.
 * Under load it is begun again more often than that, and a log that is begun again is not emptied.
 */
export const tidyMilliseconds = 10_000;

/** 16 MB of pages that nothing uses stay in the file for what comes next. */
export const freePagesKept = 4096;

/** 4 MB: so much of the file is given back at a time. */
export const freedPagesMax = 1024;

/** To which a log that got longer is cut when it is restarted. As a rule it is shorter. */
export const logBytesKept = 16 * 1024 * 1024;
