/** Every limit of the service, in one place; those of the interface are in `src/contract/limits.ts`. */
export const limits = {
  bodyBytesMax: 64 * 1024,
  /** Of a body that is too long, as much is read and thrown away before the answer. */
  drain: { bytesMax: 32 * 1024 * 1024, msMax: 5_000 },
  /** `JSON.parse` takes any depth; what is written again with `JSON.stringify` must not. */
  bodyDepthMax: 64,
  headerBytesMax: 16 * 1024,
  /** As long as a request line may be: an id too long is judged by its route, not by the router. */
  paramCharsMax: 16 * 1024,

  /** A request that trickles in is dropped after these, at the latest one check later. */
  headersMsMax: 15_000,
  requestMsMax: 20_000,
  idleSocketMsMax: 30_000,
  socketCheckMs: 5_000,
  /** How long a socket lives after it was sent why it is closed. */
  lingerMs: 1_000,
  /** How long requests in flight may take to end when the service closes. */
  closeGraceMs: 2_000,

  /** Research takes the thread this long at a time: less while requests come, until none has for a while. */
  sliceMsWhileBusy: 2,
  sliceMsWhileQuiet: 10,
  quietAfterMs: 50,
  /** Results are stored in groups: the next is gathered about as long as the last took to store, at most this. */
  researchMsBetweenCommitsMax: 20,
  runsPerSliceMax: 64,
  /** Runs whose names are matched in other threads, at a time. */
  runsInFlightMax: 256,
  /** Wait after research could not be stored (a full disk). */
  researchRetryMs: 1_000,
  researchIdleMsMax: 60_000,

  /** Builds that ask the network, at a time; and others a slice. */
  buildsInFlightMax: 16,
  buildsPerSliceMax: 64,
  /** A read begins a failed build again after this long, and refreshes a record that is older than this. */
  buildRetryMs: 60_000,
  recordMsMax: 24 * 3_600_000,

  /** Asking a domain for its front page: all of it, redirects, and what is read of a page. */
  websiteMsMax: 10_000,
  websiteRedirectsMax: 5,
  websiteBodyBytesMax: 64 * 1024,
  /** Lists of domains that are kept in memory. */
  domainListLinesMax: 5_000_000,
  domainListLineCharsMax: 1_000,

  /** A poll of the service in this process waits so long for the end of its run. */
  heldPollMsMax: 5_000,

  /** Streams that one key may hold open at a time. */
  streamsPerKeyMax: 10,
  /** How much longer than the longest research a stream is held. */
  streamGraceMs: 600_000,
  /** How long a held socket is silent before TCP asks whether its peer is still there. */
  heldSocketProbeMs: 30_000,

  /** The newest reports of an account are kept. */
  reportsPerAccountMax: 1_000,

  /** Looking a receiver's name up while a kickoff waits, all of it. */
  resolveMsMax: 5_000,
  /** Deliveries in flight: in all, of one account, and of one account to one host. */
  deliveriesMax: 256,
  deliveriesPerAccountMax: 128,
  deliveriesPerLaneMax: 16,
  deliveryIdleMsMax: 60_000,
  /** Wait after the end of a delivery could not be stored. */
  deliveryRetryMs: 1_000,

  /** The reconciliation service. A batch is a form, which takes up to three bytes for each of a text's. */
  reconciliation: {
    bodyBytesMax: 1024 * 1024,
    batchQueriesMax: 50,
    /** Of one batch, asked at a time. */
    queriesInFlightMax: 8,
    propertiesMax: 50,
    valuesMax: 50,
    typesMax: 20,
    candidatesByDefault: 5,
    candidatesMax: 10,
    extendedIdsMax: 200,
    prefixCharsMax: 500,
    suggestionsPerPage: 10,
    /** No more are gone through, however often a client asks for the next ones. */
    suggestionsMax: 100,
    requestsPerMinute: 600,
  },

  /** Replicas on one database: connections of each to it. */
  connectionsMax: 8,
  /** What a replica has claimed is another's after this, unless it is renewed; and how often each looks for more. */
  claimMs: 15_000,
  claimLookMs: 1_000,
  /** How often a replica looks which edition is served, and how long what it saw holds. */
  editionLookMs: 1_000,
  editionLifeMs: 5_000,
  /** How often a replica looks for ends, by others, of the runs that its streams wait for. */
  endsLookMs: 500,
  /** A key that was revoked, or an account that was switched, counts after this at the latest. */
  callerLifeMs: 1_000,
  callersKeptMax: 10_000,
  /** How long a kickoff waits to learn whether it was stored, once the connection broke. */
  kickoffUnknownMsMax: 10_000,
  /** Runs that have ended are counted no more often than this, for the metrics. */
  countLifeMs: 15_000,

  /** The service waits on its one thread; a command beside it has time. */
  databaseBusyMs: 1_000,
  databaseBesideBusyMs: 5_000,
  /** As many as a receiver of ours takes. */
  secretsPerAccountMax: 10,
  keysPerAccountMax: 100,
} as const
