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

/** To which a log that got longer is cut when it is restarted. As a rule it is shorter. */
export const logBytesKept = 16 * 1024 * 1024;
