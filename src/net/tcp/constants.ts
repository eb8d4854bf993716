import { MILLISECOND_US, SECOND_US } from '../../platform/clock.ts';

/** Linux's defaults; times in microseconds. */

/** First wait for the answer to a SYN or SYN-ACK; doubles. */
export const SYN_TIMEOUT_US = SECOND_US;
/** net.ipv4.tcp_syn_retries: 1 + 2 + 4 + … + 64 = 127 s in all. */
export const SYN_RETRIES = 6;
/** net.ipv4.tcp_synack_retries. */
export const SYN_ACK_RETRIES = 5;
/** TCP_RTO_MIN: the round trips here are far below it. */
export const RETRANSMIT_MIN_US = 200 * MILLISECOND_US;
/** TCP_RTO_MAX. */
export const RETRANSMIT_MAX_US = 120 * SECOND_US;
/** net.ipv4.tcp_retries2 = 15 as a time: unacknowledged data breaks the connection after it. */
export const RETRANSMIT_LIMIT_US = 924_600 * MILLISECOND_US;
/** The same for a connection whose process closed it (net.ipv4.tcp_orphan_retries, 8). */
export const ORPHAN_LIMIT_US = 102_200 * MILLISECOND_US;
/** net.ipv4.tcp_fin_timeout: how long a closed side waits for the peer's FIN. */
export const FIN_TIMEOUT_US = 60 * SECOND_US;
/** Acknowledgements for the same data after which the next segment is taken for lost. */
export const DUPLICATE_ACKS = 3;
/** Largest number of bytes that were sent and that the peer's process has not read (net.ipv4.tcp_rmem, third value). */
export const RECEIVE_BUFFER_BYTES = 6_291_456;
/** First pause between probes of a closed window; doubles. */
export const WINDOW_PROBE_US = 200 * MILLISECOND_US;
/** net.core.somaxconn. */
export const ACCEPT_BACKLOG = 4_096;
/** Ethernet, IP and TCP headers with options around the data of a segment. */
export const HEADER_BYTES = 66;
