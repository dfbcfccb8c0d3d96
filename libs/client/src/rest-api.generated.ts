// Written by `npm run client:write` from the OpenAPI document; not meant to be edited.

export interface paths {
    "/rest/v3/abuse-reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what visitors reported of short URLs
         * @description Newest first: a row for each short URL and cause, with how often it was said. Pages that stand before a short URL (a warning, a password) have the form for it.
         */
        get: operations["listAbuseReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/abuse-reports/{reportId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Dismiss a report
         * @description Somebody has looked: it is gone, until the next visitor says the same.
         */
        delete: operations["dismissAbuseReport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts
         * @description Your own alerts. API keys with `admin` and owners of everything get the alerts of all users.
         */
        get: operations["listAlerts"];
        put?: never;
        /**
         * Create an alert
         * @description Each quarter of an hour, visits by people (classes `human` and `opted-out`) in the last `windowMinutes` are checked. `above` and `below` compare them with `threshold`. `rise` and `drop` compare them with typical visits: the median of the same time on the seven days before, and the same time a week before; the condition must be met for both. A window longer than a day is compared with the four windows before it, in whole days. A message is sent once when the condition is met, and again only after a whole window in which it is not met. Posted messages are signed with the `secret` in this response, which is not shown again. Failed posts are repeated, as for webhooks. E-mail goes to the address of your account and is not signed. Owners of everything and API keys with `admin` may use any address. You may watch only visits that you may see; a domain, tag, host or all short URLs needs access to all of it. If you lose that access, nothing is sent any more. Limits: 50 alerts per user or API key, 500 in all.
         */
        post: operations["createAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/alerts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an alert
         * @description Messages that are not sent yet are dropped.
         */
        delete: operations["deleteAlert"];
        options?: never;
        head?: never;
        /**
         * Edit, disable or enable an alert
         * @description Fields that are absent keep their value. What the alert watches, its `kind` and its `channel` cannot be changed.
         */
        patch: operations["editAlert"];
        trace?: never;
    };
    "/rest/v3/alerts/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message of an alert
         * @description List the alerts to see whether it was delivered (`deliveredAt`, `lastFailure`).
         */
        post: operations["testAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description By name, revoked ones too. Nobody can read a key again: only its hash is kept.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The answer holds the key, which is shown this once.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key for good
         * @description It stays in the list, and its name taken: short URLs name it as their author.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /** Disable or enable an API key */
        patch: operations["editApiKey"];
        trace?: never;
    };
    "/rest/v3/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an API key another secret
         * @description The answer holds the key with its new secret, which is shown this once.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what
         * @description Newest first. Every change by a key, a command or the system of what the administration is of (not: visits, titles that were looked up, the links of an import, which has rows of its own). With `after` of the last entry the next page follows, whatever is added meanwhile.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List blocked hosts, patterns and short URLs
         * @description Newest first.
         */
        get: operations["listBlocks"];
        put?: never;
        /**
         * Block a host, a pattern or a short URL, or warn of it
         * @description No short URL to it can be created from now on, and those that exist are answered 410 within 10 seconds, unless a rule leads elsewhere; such requests are recorded as orphan visits of the type `blocked` (with `warn`: `held_back`). One that is there gets reason and action.
         */
        post: operations["addBlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/blocks/{blockId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a block
         * @description What was blocked is as it was before, within 10 seconds.
         */
        delete: operations["removeBlock"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/deleted-short-urls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the recycle bin
         * @description Deleted short URLs, the last one first. They stay there until they are restored or purged.
         */
        get: operations["listDeletedShortUrls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/deleted-short-urls/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a short URL of the recycle bin for good
         * @description With its long URL, title, note, tags and visits. Nothing brings it back, and its code is never given to another link. When there are too many visits for one request, the answer is 503; the link is out of the bin, and the deletion of its visits goes on by itself.
         */
        delete: operations["purgeShortUrl"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/deleted-short-urls/{code}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a short URL out of the recycle bin
         * @description It is as it was, and every gateway redirects within a second.
         */
        post: operations["restoreShortUrl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List domains
         * @description The default one, then those with short URLs or redirects, by name; at most 10,000. International names are punycode.
         */
        get: operations["listDomains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/domains/{domain}/visits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the visits of the short URLs of a domain, newest first
         * @description `DEFAULT` names the default domain. Visits of deleted short URLs are among them.
         */
        get: operations["listDomainVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/domains/redirects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Say where a domain sends visitors who find nothing
         * @description Fields that are not given stay; null clears. Every gateway follows within a second. In path, query and fragment `{DOMAIN}` stands for the domain that was asked and `{ORIGINAL_PATH}` for the path. Such requests are orphan visits all the same.
         */
        patch: operations["redirectDomain"];
        trace?: never;
    };
    "/rest/v3/exports/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export who changed what
         * @description Oldest first, up to a second ago, or to when the oldest transaction under way began, if that is earlier: what comes later is in the next export, so `after` of the last entry goes on without leaving one out. An answer that breaks off ends without the last chunk.
         */
        get: operations["exportAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/exports/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all short URLs
         * @description All that are not deleted, with tags, rules and all-time visits, as of one moment, sent as fast as they are read. An answer that breaks off is not whole: its connection ends without the last chunk. Who takes nothing for a minute, or has not all of it after 15 minutes, is closed; `hopcount export links` may take longer.
         */
        get: operations["exportShortUrls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/exports/visits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the visits of a short URL, or of all
         * @description Oldest first (in the order of their ids), up to now, each once, also of months that only the archive has; of all: those of deleted short URLs, too. An answer that breaks off ends without the last chunk; `after` goes on behind the last visit that came. Who takes nothing for a minute, or has not all of it after 15 minutes, is closed.
         */
        get: operations["exportVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups
         * @description Those that were ordered first, then the others as they came. The short URLs of the groups on the page are counted for each answer: with millions in them, ask for smaller pages.
         */
        get: operations["listGroups"];
        put?: never;
        /**
         * Create a group
         * @description A short URL that is created in a group that is new makes one as well.
         */
        post: operations["createGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/groups/{groupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a group
         * @description One without short URLs, deleted ones included; with `moveTo` they are moved first, 200 at a time. When there are too many for one request, or it breaks off, the same request goes on. Visits keep the group they were counted in. One in which users have roles is deleted, with these, by who administers only.
         */
        delete: operations["deleteGroup"];
        options?: never;
        head?: never;
        /** Rename a group */
        patch: operations["renameGroup"];
        trace?: never;
    };
    "/rest/v3/groups/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Order groups */
        put: operations["orderGroups"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether this server can answer (503 when its database is away) */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/hosts/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List hosts one label below a name, by visits
         * @description Each with all below it, the most visits first; about a second behind; visits of all time are those of all data centres. No question has longer than 5 seconds, and of those about more than 10,000 names one is answered at a time. Kinds: `target`, the host visits were sent to; `referrer`; `short`, the host that was asked; `fed`, counts from elsewhere.
         */
        get: operations["listHosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/hosts/{kind}/{host}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Visits of a host, or of the hosts below it
         * @description Up to the moment of the answer. With `Accept: text/plain` lines such as `9001 leetcode.com`: the name and the names below it, each with all below it, of all time, the most visits first, at most 10000; `exact` is in the header `X-Statistics`. No question has longer than 5 seconds, and of those about more than 10,000 names one is answered at a time. Kinds: `target`, the host visits were sent to; `referrer`; `short`, the host that was asked; `fed`, counts from elsewhere.
         */
        get: operations["getHostVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/hosts/{kind}/{host}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Visits of a host, or of the hosts below it, by quarter of an hour, hour, day, week, month, quarter or year
         * @description Exact at every instant and in every zone: quarters of an hour are summed; what the ledger has dropped is counted over the visits of the archive. Counts of kind `fed` are kept by quarters alone. Of a sliding window of any length, too: `windowMinutes`.
         */
        get: operations["getHostSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/hosts/{kind}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare the visits of up to ten hosts
         * @description Exact at every instant and in every zone: quarters of an hour are summed; what the ledger has dropped is counted over the visits of the archive. Counts of kind `fed` are kept by quarters alone.
         */
        get: operations["compareHosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/hosts/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List surges of hosts
         * @description Those that go on first, then the newest. A host surges when it has 100 visits in five minutes, 4 times as many as usual and more than chance makes of it, for 30 seconds; usual is the larger median of the same time in the last four weeks and of the last two hours. Five minutes end where everything is counted: a backlog is no surge. It is told of the lowest name that has 80 % of it. Also told to webhooks, as `host.surged`. Kept for 400 days.
         */
        get: operations["listHostAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/hosts/alerts/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow surges of hosts, as server-sent events
         * @description Each event is JSON: `{id, what, kind, host, at, visits, usualVisits, new, closedBecause, explanation}`; `what`: `opened`, `escalated` (it has doubled) or `closed`; `id` is that of the alert. After a lost connection a client names the last event in `Last-Event-ID` and gets what came since, each once; of more than 1,000 the newest, behind an event `gap`. A reader that takes nothing for a minute is closed, and so is one whose API key was revoked or whose session ended.
         */
        get: operations["followHostAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/hosts/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Feed counts of hosts from elsewhere
         * @description JSON, or lines such as `9001 discuss.leetcode.com`; at most 10,000, and 1 MB, also of what is gzipped (`Content-Encoding: gzip`). All of them count, or none; once for an Idempotency-Key, however often it is sent, as visits by `human` of now. A host may come twice. Whoever is answered 503 sends it again. Numbers are those of `GET /rest/v3/hosts/fed`.
         */
        post: operations["feedHosts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/hosts/counts/batches/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of a batch of counts
         * @description Of the API key that fed it, by its Idempotency-Key; known for 35 days.
         */
        get: operations["getHostBatch"];
        put?: never;
        post?: never;
        /**
         * Take a batch of counts away again
         * @description From the time it was counted at; once, and within 7 days. One that is not counted yet never will be. Its key stays used.
         */
        delete: operations["reverseHostBatch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/hosts/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hosts that are new, gone or surged in a month, as CSV
         * @description `new`: visits for the first time; `gone`: some in the month before and none in it; `surged`. `visits`: in the month; of one that is gone, in the month before; of one that surged, in five minutes at its highest. The 10,000 with the most visits of each kind and change. One report is made at a time.
         */
        get: operations["reportHosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import short URLs, and their visits, from a file
         * @description CSV with a header, JSON Lines, or a JSON document as the APIs of Shlink, Kutt, YOURLS and Bitly answer it, also compressed with gzip; at most 32 MB unpacked and 30 seconds (`hopcount import` takes more). CSV may be in any character set that `Content-Type` names; without one a byte order mark, UTF-16 and UTF-8 are recognised, and any other text is read as Windows-1252. JSON is UTF-8. A worker takes the rows; how far it is: `GET /rest/v3/imports/{id}`. Each row is created, updated, unchanged or refused, never changed to fit; a file of which no row can be taken fails. Importing again adds only what is not there yet. A record with a date and no long URL is a visit, of the link that was imported with its `shortCode` and `domain` under the same name; our own exports of visits are such. They count as others do, marked with that name, and use no limit. The totals of a source are no visits. At most 20 imports are uploaded, wait or run at a time, 5 of an API key (and of all users together).
         */
        post: operations["importShortUrls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far an import is, and what it left out */
        get: operations["getImport"];
        put?: never;
        post?: never;
        /**
         * End an import
         * @description What it has taken stays; the rest of its file is forgotten. Importing the file again takes what is missing. One that is done or has failed stays as it is.
         */
        delete: operations["endImport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/imports/{id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an import refused or left out, row by row, as CSV
         * @description Up to the current row while the import runs. Holds the first 100,000 remarks, until 90 days after the end.
         */
        get: operations["getImportReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description The newest 50. Ended jobs are kept for 30 days, plans that were not started for one day.
         */
        get: operations["listJobs"];
        put?: never;
        /**
         * Plan a job
         * @description A worker finds out what the job would change. Nothing is changed yet. Read the job until its state is `planned`; `plan` then has the numbers. `rebuild` recomputes every number from the ledger and corrects those that differ. `verify` only compares them. `redrive` sends up to 10,000 dead letters to be counted. `seal` copies closed hours to archive files. `replay` reads the visits topic again and sends the visits that are missing in the ledger. Each kind works like the command of the same name.
         */
        post: operations["planJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a job */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description Changes that the job has already made stay. Each of them is complete. A cancelled job cannot be resumed.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/jobs/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a running job
         * @description The worker stops within about two seconds. Its open transaction is rolled back and repeated after the job is resumed.
         */
        post: operations["pauseJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/jobs/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused job
         * @description The job continues at its last checkpoint.
         */
        post: operations["resumeJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/jobs/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a planned job
         * @description Only one job of each kind runs at a time.
         */
        post: operations["startJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow visits as they come, as server-sent events
         * @description Each event is JSON: `{shortUrl, visit}`, of an orphan visit `{visit}`. After a lost connection a client names the last event in `Last-Event-ID` and gets what came since, each once, for ten minutes; where that is not certain an event `gap` comes first. A reader that takes nothing for 30 seconds is closed, and so is one whose API key was revoked or whose session ended. Each process allows 50 connections for an API key or user. The token is that of `mercure-info`.
         */
        get: operations["followVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/mercure-info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say where visits can be followed as they come
         * @description The token lets a page follow them for a day, as long as the API key or the session works, and what that reaches. The address is that of this API; no other server is needed.
         */
        get: operations["mercureInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Say who is signed in */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in
         * @description The answer sets the cookie `__Host-hopcount`, which browsers take over https and from localhost. The same answer for an unknown account, a disabled one and a wrong password.
         */
        post: operations["signIn"];
        /** Sign out */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/session/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Go to the OpenID Connect provider to sign in
         * @description For browsers: a page links here. The attempt is bound to the browser and ends after ten minutes.
         */
        get: operations["beginProviderSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/session/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Come back from the OpenID Connect provider, signed in
         * @description The provider sends browsers here; the query is what it says of the attempt. Begins a session, as `POST /rest/v3/session` does. Who has no account is let in only with a verified email address of a domain that the settings name.
         */
        get: operations["endProviderSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the password
         * @description All other sessions of the user end, and links for another password.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/session/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a secret for an app that makes one-time codes
         * @description It counts once a code of it was confirmed; one that was not is replaced.
         */
        post: operations["beginSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/session/second-factor/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a code at every sign-in from now on
         * @description The answer holds the recovery codes, which are shown this once. All other sessions of the user end.
         */
        post: operations["confirmSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/session/second-factor/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove the second factor and its recovery codes */
        post: operations["removeSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List where you are signed in
         * @description This session first, then the last one that was used; 50 at most.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign out somewhere else
         * @description Within five seconds. To sign out here: `DELETE /rest/v3/session`, which also takes the cookie away.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/share-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List share links
         * @description Newest first: your own, and for owners of everything those of everybody. Expired ones are not listed.
         */
        get: operations["listShareLinks"];
        put?: never;
        /**
         * Make a link that shows the statistics of one view to whoever has it
         * @description Of any time, with `X-Share-Token` on totals, series, dimensions, matrix and links of `statistics`, asked with exactly this domain, tag, group, short URL and these filters; never addresses of visitors. It shows what its maker may see at the moment, and no more than they could when they made it. It ends at its date, when it is revoked, when its maker is disabled or deleted or may not see the view any more, and with its short URL. 100 of a user at most.
         */
        post: operations["createShareLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/share-links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a share link
         * @description It shows nothing within five seconds. Owners of everything also revoke those of others.
         */
        delete: operations["revokeShareLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/short-urls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List short URLs */
        get: operations["listShortUrls"];
        put?: never;
        /**
         * Create a short URL
         * @description Without `customSlug` the code is generated. What `GET` answers may be sent: a copy is created, with a code of its own and without redirect rules; of a short URL with a password only together with a new `password`.
         */
        post: operations["createShortUrl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/short-urls/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a short URL */
        get: operations["getShortUrl"];
        put?: never;
        post?: never;
        /**
         * Delete a short URL
         * @description Visitors get 404 on every gateway within a second. Its visits stay counted and its code stays taken.
         */
        delete: operations["deleteShortUrl"];
        options?: never;
        head?: never;
        /**
         * Change a short URL, or move it to another group
         * @description Every gateway sends visitors to the new target within a second. Fields that are not given stay. What `GET` answers may be sent back, and so may fields of the creation: with another value than the short URL has they are refused with 422. When nothing differs nothing is written, and the ETag stays.
         */
        patch: operations["editShortUrl"];
        trace?: never;
    };
    "/rest/v3/short-urls/{code}/qr-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * QR code of a short URL
         * @description A PNG, or an SVG with `format=svg`, of the address visitors open. The same question has the same
         *     `ETag`: with `If-None-Match` the answer is 304.
         */
        get: operations["getQrCode"];
        put?: never;
        /**
         * QR code of a short URL with a logo in its middle
         * @description Nothing is stored. The error correction is H, so that readers make up for what the logo covers.
         */
        post: operations["getQrCodeWithLogo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/short-urls/{code}/redirect-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read where a short URL leads by who asks */
        get: operations["getRedirectRules"];
        put?: never;
        /**
         * Replace where a short URL leads by who asks
         * @description Every gateway follows within a second.
         */
        post: operations["setRedirectRules"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Replace where a short URL leads by who asks
         * @description Every gateway follows within a second.
         */
        patch: operations["patchRedirectRules"];
        trace?: never;
    };
    "/rest/v3/short-urls/{code}/redirect-rules/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Where somebody who asks for a short URL would go
         * @description By its rules and split, as gateways ask them; limits, dates and blocks of the short URL are not asked, and targets are not judged: gateways pass over a rule whose target nobody may be sent to. Nothing is stored or counted.
         */
        post: operations["tryRedirectRules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/short-urls/{code}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Statistics of a short URL over a range, or of all time
         * @description Exact in every IANA zone and at every instant: visits, distinct visitors and distinct IPs of the range, of every interval in it, and visits by the values of each dimension. `period=allTime`: of all of its visits. Who came on both sides of one of `keyRotations` is two visitors and two IPs.
         */
        get: operations["getLinkStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/short-urls/{code}/visits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the visits of a short URL, newest first */
        get: operations["listVisits"];
        put?: never;
        post?: never;
        /**
         * Delete the visits of a short URL
         * @description Visits that occurred before this moment are gone for good: none comes back with a late or repeated delivery. When there are too many for one request, the answer is 503 and the deletion goes on by itself.
         */
        delete: operations["deleteVisits"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/short-urls/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create many short URLs
         * @description Up to 1,000 in one request, each as it would be created by itself, one after the other: one that cannot be created fails alone, and its result is the problem. All that can be are created together: after a lost answer there are all of them or none.
         */
        post: operations["createShortUrls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/short-urls/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move short URLs to a group
         * @description None is moved when one of them is not there. Visits already counted keep the group of their time.
         */
        post: operations["moveShortUrls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/short-urls/shorten": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a short URL with a GET request
         * @description For bookmarklets and clients that can only fetch an address. Each request creates a link. What is in an address ends up in histories and logs: use a key of its own, and the POST request where you can.
         */
        get: operations["shorten"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/statistics/dimensions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Visits by the values of a dimension
         * @description Names: country, region, city, os, browser, device, network, referrer, language, osVersion, browserVersion, referrerUrl, destination, route, importedFrom, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, domain, group, class, channel, classReason, ip, and firstSeen: `new` is the first visit of its visitor among those that are counted, all others are `returning`, `unknown` where nobody can be told apart. Exact at every instant and in every zone: what is kept as sums is summed, all else is counted over the visits, those of the archive where they are what was counted. `304` for an `If-None-Match` with the ETag of an answer whose numbers are still the same.
         */
        get: operations["getVisitsDimension"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/statistics/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The visits behind a number, with what is stored of them
         * @description Of the same scope, range and filters as the question that gave the number, newest first: `next` leads to the next page, and all pages together have the visits of the number. `exact` and `readFrom` are those of what this page looked at.
         */
        get: operations["explainVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/statistics/hot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Short URLs and their domains with the most visits of late, with weights
         * @description For a CDN, a DNS server or a load balancer, which gives the hottest more room. The last 15 to 30 minutes, by the time of the visit; about a second behind, and read at most every ten seconds. A hint for spreading load: visits that are not counted yet are missing. Sudden rises are also told to webhooks, as `link.anomaly` and `host.surged`.
         */
        get: operations["getHotVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/statistics/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Short URLs by their visits in a range
         * @description Those that were visited, deleted ones too. Exact at every instant and in every zone: what is kept as sums is summed, all else is counted over the visits, those of the archive where they are what was counted. `304` for an `If-None-Match` with the ETag of an answer whose numbers are still the same.
         */
        get: operations["getVisitedLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/statistics/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Visits, visitors and IPs of the last 5 and 30 minutes
         * @description Counted in the ledger, once a second for all who ask (less often where counting takes longer than a quarter of a second). A visit counts for the moment it happened, so one that was counted late may never be among them.
         */
        get: operations["getLiveVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/statistics/live/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow visits, visitors and IPs of the last 5 and 30 minutes, as server-sent events
         * @description Each event is JSON as that of `GET /rest/v3/statistics/live`. Counted in the ledger, once a second for all who ask (less often where counting takes longer than a quarter of a second). A visit counts for the moment it happened, so one that was counted late may never be among them. A reader that is slow gets fewer of them, and is closed after a minute without taking any; so is one whose API key was revoked or whose session ended.
         */
        get: operations["followLiveVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/statistics/matrix": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Visits by two dimensions at once, such as the hour and the day of the week
         * @description Names: hour, weekday, country, region, city, os, browser, device, network, referrer, language, osVersion, browserVersion, referrerUrl, destination, route, importedFrom, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, domain, group, class, channel, classReason, ip. Hours (00 to 23) and days of the week (1 to 7, from Monday) are those of the zone, and all of them are there; with an hour the range may have 10,000 hours. As a file each cell is a row, with "others" in `rowIs` or `columnIs` where it is that of all others. Exact at every instant and in every zone: what is kept as sums is summed, all else is counted over the visits, those of the archive where they are what was counted. `304` for an `If-None-Match` with the ETag of an answer whose numbers are still the same.
         */
        get: operations["getVisitsMatrix"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/statistics/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that the visits a number was counted from are all there, each once
         * @description Number and checksum of the visits that a question with the same scope, range and filters counts, and, of the whole quarter hours that hold its range, of all visits as they are read now and as they were added up when they were counted. The checksum is the XOR of their ids, so whoever has the visits can compute it.
         */
        get: operations["proveVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/statistics/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Visits, visitors and IPs by quarter of an hour, hour, day, week, month, quarter or year
         * @description Exact at every instant and in every zone: what is kept as sums is summed, all else is counted over the visits, those of the archive where they are what was counted. `304` for an `If-None-Match` with the ETag of an answer whose numbers are still the same.
         */
        get: operations["getVisitsSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/statistics/totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Visits, visitors and IPs of all short URLs, a domain, a group, a tag or one short URL
         * @description Exact at every instant and in every zone: what is kept as sums is summed, all else is counted over the visits, those of the archive where they are what was counted. `304` for an `If-None-Match` with the ETag of an answer whose numbers are still the same.
         */
        get: operations["getVisitsTotals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state of counting, storing and checking
         * @description Each part that could not be read within 5 seconds is null and named in `unknown`; without Kafka these are `counting` and `deadLetters`. What waits in the spool of a gateway is known to its machine only: `hopcount doctor` there, or its metrics.
         */
        get: operations["getSystem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/system/archive-files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List files of the archive
         * @description Those on disk, the newest period first. Only active ones are read.
         */
        get: operations["listArchiveFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/system/audit-minutes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List minutes of gateways, held against what was counted
         * @description The newest first; kept as long as the ledger.
         */
        get: operations["listAuditMinutes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/system/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is wrong, and what to do about it
         * @description What `hopcount doctor` finds of the services, as this api sees them. Nothing is changed.
         */
        get: operations["listSystemChecks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/system/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dead letters
         * @description The newest first. Reading moves no consumer.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/system/dead-letters/{place}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a dead letter
         * @description Whole, with what would become of it if it were sent again now. It has what the visitor sent.
         */
        get: operations["getDeadLetter"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/system/dead-letters/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send dead letters to be counted again
         * @description As they came: key, value and headers. A visit is counted once however often this is asked; a letter that is refused again comes back as a new one. Letters that the topic has no more are left out. `sent` are acknowledged, and counted a moment later.
         */
        post: operations["redriveDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/system/verifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List verifications
         * @description The newest 20 that were started here; the command line keeps no record of its own.
         */
        get: operations["listVerifications"];
        put?: never;
        /**
         * Start a verification
         * @description A worker recomputes every number from the ledger and the files, while visits go on being counted. One at a time: while one is open the answer is that one.
         */
        post: operations["startVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tags
         * @description Those without a short URL, too.
         */
        get: operations["listTags"];
        /**
         * Rename a tag
         * @description Its short URLs have it under the new name at once. ETags of these stay as they are.
         */
        put: operations["renameTag"];
        post?: never;
        /**
         * Delete tags
         * @description Their short URLs stay, without them. Of many a thousand at a time lose theirs.
         */
        delete: operations["deleteTags"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/tags/{tag}/visits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the visits of the short URLs with a tag, newest first
         * @description Of those that have the tag now, with all visits they ever had; deleted ones are among them.
         */
        get: operations["listTagVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/tags/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge tags into one
         * @description Short URLs with any of them have `into` instead, once each. Of many they change a thousand at a time; when the request breaks off, the same request goes on. ETags of short URLs stay as they are.
         */
        post: operations["mergeTags"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/tags/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List tags with their short URLs and visits */
        get: operations["listTagStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description By email, disabled ones too.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a user
         * @description Their sessions end, their roles and the links of invites that they made go. Short URLs, webhooks and API keys that they made stay: `GET /rest/v3/audit-log?kind=api-key&actorKind=user&actor=NAME` lists the keys. It does not keep them out where `OIDC_DOMAINS` is set: they can sign in with the provider again and get a new account with `OIDC_ROLE`; disable them instead.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Disable or enable a user, or give them another role
         * @description Links that they made end when they are disabled, or are no owner any more.
         */
        patch: operations["editUser"];
        trace?: never;
    };
    "/rest/v3/users/{id}/provider-identity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forget whom a user is at the OpenID Connect provider
         * @description For an address that the provider has given to somebody else: whoever signs in next with the verified address is bound. What may be of the one before ends: sessions, the password, the second factor, links for another password and links that they made; API keys that they made go on. To sign in with a password again takes `POST /rest/v3/users/{id}/reset`. Done also when nobody is bound.
         */
        delete: operations["unbindUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/users/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link that gives a user another password
         * @description It works once, within a day, unless another one is made or its maker is disabled. When it is used, all sessions of the user end, and their second factor is removed.
         */
        post: operations["resetUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/users/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Use a link: make an account, or choose another password
         * @description Signs in, as `POST /rest/v3/session` does.
         */
        post: operations["acceptInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/users/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links that can still be used
         * @description Newest first, invites and links for another password. Nobody can read a link again: only its hash is kept.
         */
        get: operations["listInvites"];
        put?: never;
        /**
         * Make a link that makes an account
         * @description It works once, within a week, unless its maker (user or key) is disabled before. Whoever opens it chooses email address, name and password.
         */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/users/invites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraw a link */
        delete: operations["withdrawInvite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/visits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many visits there are, of all short URLs and orphans
         * @description Visits of deleted short URLs stay counted.
         */
        get: operations["getVisitsOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/visits/non-orphan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the visits of all short URLs, newest first
         * @description As many as `GET /rest/v3/visits` counts: visits of deleted short URLs are among them.
         */
        get: operations["listNonOrphanVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/visits/orphan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the requests that named no short URL, newest first */
        get: operations["listOrphanVisits"];
        put?: never;
        post?: never;
        /**
         * Delete all orphan visits
         * @description Those that occurred before this moment are gone for good: none comes back with a late or repeated delivery.
         */
        delete: operations["deleteOrphanVisits"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description All of them (50 at most), and how they go.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Events are signed by the Standard Webhooks specification with the `secret` of the answer, which is shown this once. Each is posted until it is answered with a 2xx status, under the same `webhook-id`: after a failure again, with longer and longer pauses. A webhook that takes nothing for a day, or answers 410, is disabled. Events may come twice, and in any order. `link.anomaly` is told of a short URL with far more visits by people in a closed quarter of an hour than usual: 50 or more, 4 times the mean and twice the busiest quarter of a usual day of the last seven; once in 24 hours, not in the first day of a short URL. Its `data` has `windowStart`, `windowSeconds`, `visits` in that window, `usualVisits` (mean of a window), `usualBusiestWindow`, `factor` (`visits` / `usualVisits`, null without any) and `comparedDays`. `host.surged` is told of surges as they are listed, when one begins and each time it has doubled; its `data` has `what`, `windowStart` and `windowSeconds` beside what the list has.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description What waits for it is not posted any more.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Edit, disable or enable a webhook
         * @description What is absent stays. While it is disabled no events are kept for it.
         */
        patch: operations["editWebhook"];
        trace?: never;
    };
    "/rest/v3/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last deliveries of a webhook
         * @description The next 20 of the events that wait for their first attempt, and the newest 100 that were posted, the last first: how that went, and when they are posted again.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/webhooks/{id}/deliveries/{eventId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post an event to a webhook again
         * @description One that was posted before, under the same `webhook-id`, whether or not it was taken. It waits its turn; that of a webhook that fails comes when its pause ends.
         */
        post: operations["resendWebhookEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rest/v3/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post a test event to a webhook
         * @description Its type is `webhook.test`. It waits its turn as any other; list the webhooks to see how it went.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AbuseReport: {
            /** @enum {string} */
            cause: "phishing" | "malware" | "spam" | "other";
            /** @example 2026-09-01T12:00:00+00:00 */
            firstAt: string;
            /** @example 3 */
            id: string;
            /** @example 2026-09-02T12:00:00+00:00 */
            lastAt: string;
            /** @description Where it leads now; null: it is deleted. */
            longUrl: string | null;
            /**
             * @description How often it was said.
             * @example 12
             */
            reports: number;
            /**
             * @description Domain and code, as a block of the kind `link` names it.
             * @example s.example/sale
             */
            shortUrl: string;
        };
        AbuseReportList: {
            abuseReports: {
                data: components["schemas"]["AbuseReport"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        Alert: {
            /**
             * @description The only address to which this alert may send e-mail: that of the account that created it. null: any.
             * @example ada@example.com
             */
            allowedEmail: string | null;
            /** @enum {string} */
            channel: "webhook" | "slack" | "email";
            /**
             * Format: date-time
             * @description End of the last window that was checked.
             */
            checkedUntil: string;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            createdAt: string;
            /** @description `name`: the e-mail address of the user, or the name of the API key. */
            createdBy: {
                id: number;
                /** @enum {string} */
                kind: "user" | "api-key";
                name: string;
            };
            deliveredAt: string | null;
            /** @description Why the alert was disabled automatically. null: it is enabled, or a user disabled it. */
            disabledReason: string | null;
            domain: string | null;
            /**
             * @description null: the alert posts to `url`.
             * @example ada@example.com
             */
            email: string | null;
            enabled: boolean;
            /** @description null for `above` and `below`. */
            factor: number | null;
            group: string | null;
            host: string | null;
            hostKind: ("target" | "referrer" | "short" | "fed") | null;
            /** @example 7 */
            id: string;
            /** @enum {string} */
            kind: "rise" | "drop" | "above" | "below";
            lastFailure: {
                /**
                 * Format: date-time
                 * @description Whole seconds, `+00:00`.
                 */
                at: string;
                reason: string;
            } | null;
            /** @example Sale page is quiet */
            name: string;
            /** @description Whether the condition was met in the last window or in one that overlaps it. */
            ongoing: boolean;
            shortCode: string | null;
            tag: string | null;
            threshold: number;
            /** @example Europe/Berlin */
            timeZone: string;
            /** @description End of the window of the last message. */
            toldAt: string | null;
            /**
             * @description null: the alert sends e-mail.
             * @example https://hooks.example.com/hopcount
             */
            url: string | null;
            /** @description false: the alert is not checked and sends nothing, because its creator may no longer see these visits or use this e-mail address, the short URL was deleted, or the tag or host is too large. */
            watched: boolean;
            windowMinutes: number;
        };
        AlertList: {
            alerts: {
                data: components["schemas"]["Alert"][];
            };
            /** @description Channels that new alerts can have on this installation. */
            channels: ("webhook" | "slack" | "email")[];
        };
        ApiKey: {
            /** @description It reaches only short URLs that it created. */
            authoredOnly: boolean;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateCreated: string;
            dateExpires: string | null;
            /** @description Written at most once a minute. */
            dateLastUsed: string | null;
            /** @description The only domain whose short URLs it reaches; null: any. */
            domain: string | null;
            id: number;
            /** @example newsletter */
            name: string;
            /** @description It sees no orphan visits. */
            noOrphanVisits: boolean;
            /** @description How the key begins; null of keys from before this was kept. */
            prefix: string | null;
            /** @description Until when the secret before the last rotation works, too. */
            previousUntil: string | null;
            scopes: ("links:read" | "links:write" | "statistics:read" | "visits:purge" | "hosts:write" | "admin")[];
            /** @enum {string} */
            state: "active" | "disabled" | "expired" | "revoked";
        };
        ApiKeyList: {
            apiKeys: {
                data: components["schemas"]["ApiKey"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        ArchiveFile: {
            bytes: number;
            /** Format: date-time */
            from: string;
            id: string;
            /**
             * @example hour
             * @example day
             * @example month
             */
            level: string;
            /** Format: date-time */
            sealedAt: string;
            /** @enum {string} */
            state: "active" | "replaced" | "damaged" | "expired";
            /** Format: date-time */
            to: string;
            visits: number;
        };
        ArchiveFileList: {
            archiveFiles: {
                data: components["schemas"]["ArchiveFile"][];
                next: string | null;
            };
        };
        ArchiveFilesSum: {
            bytes: number;
            files: number;
            visits: number;
        };
        AuditActor: {
            /** @description Where the request came from, whole; of a command the host. */
            address: string | null;
            /** @description Of the key or user. */
            id: string | null;
            /** @enum {string} */
            kind: "api-key" | "user" | "cli" | "system";
            /** @description Of the key or user then; of a command the operator; of `system` the program. */
            name: string;
            /**
             * @description The operation of this API that did it.
             * @example editShortUrl
             */
            operation: string | null;
            /** @description The answer's X-Request-Id. */
            requestId: string | null;
        };
        AuditEntry: {
            /**
             * @example create
             * @example edit
             * @example delete
             * @example restore
             * @example purge
             * @example purge-visits
             * @example tag
             * @example untag
             * @example revoke
             * @example end
             */
            action: string;
            actor: components["schemas"]["AuditActor"];
            /** @description Null: it is gone. Secrets are `(secret)`, texts above 4,000 characters are cut. */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description Of an edit what differs; null: it was created. */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When its transaction began: UTC, milliseconds.
             */
            date: string;
            /**
             * @description Of this row, for `after`.
             * @example 1790000000000-17
             */
            id: string;
            /**
             * @example link
             * @example tag
             * @example group
             * @example domain
             * @example api-key
             * @example block
             * @example import
             * @example user
             * @example group-role
             * @example provider-identity
             * @example abuse-report
             * @example invite
             * @example share-link
             * @example webhook
             * @example alert
             * @example job
             * @example orphan-visits
             * @example host-batch
             * @example ledger
             * @example operation
             */
            kind: string;
            /**
             * @description What it is called: of a link domain/code.
             * @example s.example/sale
             */
            object: string | null;
            /** @description More than 1: so many in one step; `after.first` names some. */
            objects: number;
        };
        /** @description JSON Lines: an AuditEntry a line. CSV: `id`, `date`, `actorKind`, `actorId`, `actorName`, `address`, `operation`, `requestId`, `kind`, `action`, `object`, `objects`, and `before` and `after` as JSON; text that a spreadsheet would run as a formula behind an apostrophe. */
        AuditExport: string;
        AuditLog: {
            auditLog: {
                data: components["schemas"]["AuditEntry"][];
                /** @description `after` of the next page; null: this is the last. */
                next: string | null;
            };
        };
        AuditMinute: {
            /** @description Redirects although nothing could hold their visit. */
            answered: number;
            /** Format: date-time */
            minute: string;
            /** @description Not counted of these; negative: counted beyond them. */
            missing: number;
            refused: number;
            /** @description Visits it made durable. */
            reported: number;
            /** @description A life of a gateway process. */
            source: string;
            /** @enum {string} */
            status: "open" | "equal" | "in-doubt" | "missing" | "surplus";
        };
        AuditMinuteList: {
            auditMinutes: {
                data: components["schemas"]["AuditMinute"][];
                next: string | null;
            };
        };
        Block: {
            /** @enum {string} */
            action: "block" | "warn";
            /** @example 2026-09-01T12:00:00+00:00 */
            createdAt: string;
            /** @example 7 */
            id: string;
            /** @enum {string} */
            kind: "host" | "pattern" | "link";
            /** @example phishing, reported 2026-09-01 */
            reason: string;
            /**
             * @description As it is compared.
             * @example evil.example
             */
            value: string;
        };
        BlockList: {
            blocks: {
                data: components["schemas"]["Block"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        DeadLetter: {
            detail: string;
            headers: {
                [key: string]: string;
            };
            key: string | null;
            originalOffset: string;
            originalPartition: string;
            originalTopic: string;
            /**
             * @description partition@offset
             * @example 1@42
             */
            place: string;
            reason: string;
            /**
             * @description What would become of it if it were sent again now.
             * @enum {string}
             */
            redriven: "would-be-counted" | "already-counted" | "purged" | "refused-again";
            refusedBecause: string | null;
            sizeBytes: number;
            /** @enum {string} */
            state: "waiting" | "redriven" | "discarded";
            step: string;
            /** Format: date-time */
            time: string;
            /** @description As text, cut at 16,384 characters; control characters replaced. */
            value: string | null;
        };
        DeadLetterList: {
            deadLetters: {
                data: components["schemas"]["DeadLetterSummary"][];
                /** @description `after` of the next page; null: this is the last. */
                next: string | null;
            };
        };
        DeadLetterSummary: {
            detail: string;
            key: string | null;
            originalOffset: string;
            originalPartition: string;
            originalTopic: string;
            /**
             * @description partition@offset
             * @example 1@42
             */
            place: string;
            reason: string;
            sizeBytes: number;
            /** @enum {string} */
            state: "waiting" | "redriven" | "discarded";
            step: string;
            /** Format: date-time */
            time: string;
        };
        DeletedShortUrl: {
            crawlable: boolean;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateCreated: string;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateDeleted: string;
            disabled: boolean;
            /** @description null on the default domain. */
            domain: string | null;
            expiredUrl: string | null;
            extraPath: ("append" | "ignore") | null;
            forwardQuery: boolean;
            /** @example marketing */
            groupId: string | null;
            /** @description Whether visitors are asked for a password, which is never answered. */
            hasPassword: boolean;
            hasRedirectRules: boolean;
            /**
             * @description Immutable; a snowflake as decimal text.
             * @example 249856225617469440
             */
            id: string;
            /** @example https://example.com/a?b=c */
            longUrl: string;
            meta: {
                maxVisits: number | null;
                validSince: string | null;
                validUntil: string | null;
            };
            /** @description For those who manage links; no visitor sees it. */
            note: string | null;
            /** @enum {number} */
            redirectStatus: 301 | 302 | 307 | 308;
            /** @example 7xKqPzR */
            shortCode: string;
            /**
             * @description What visitors open.
             * @example http://localhost:8080/7xKqPzR
             */
            shortUrl: string;
            /**
             * @example [
             *       "docs",
             *       "spring-sale"
             *     ]
             */
            tags: string[];
            title: string | null;
            /** @description All-time visits, from the slotted counters. */
            visitsSummary: components["schemas"]["VisitsSummary"];
            /** @description Whether visitors are shown where the link leads first. */
            warn: boolean;
        };
        DeletedShortUrlList: {
            shortUrls: {
                data: components["schemas"]["DeletedShortUrl"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        DeletedVisits: {
            deletedVisits: number;
        };
        DomainList: {
            domains: {
                data: {
                    /** @example localhost:8080 */
                    domain: string;
                    isDefault: boolean;
                    redirects: components["schemas"]["NotFoundRedirects"];
                }[];
                /** @description Where a domain has null: settings of the installation. */
                defaultRedirects: components["schemas"]["NotFoundRedirects"];
            };
        };
        ExplainedVisit: {
            browser: string;
            browserVersion: string | null;
            /** @description Which way it came; null: counted before it was stored. */
            channel: ("direct" | "search" | "social" | "mail" | "paid" | "internal" | "other") | null;
            city: string;
            /** @enum {string} */
            class: "human" | "bot" | "preview" | "prefetch" | "opted-out";
            /** @description The rule that chose the class; null: counted before it was stored. */
            classReason: ("person" | "prefetch-header" | "preview-agent" | "no-agent" | "http-library" | "known-bot" | "do-not-track" | "imported" | "click-flood") | null;
            country: string;
            /**
             * Format: date-time
             * @description With milliseconds, and the offset of the zone.
             */
            date: string;
            destination: string | null;
            device: string;
            domain: string | null;
            /** @description Of the rules that found class, places, systems and browsers. */
            enrichmentVersion: number;
            eventId: string;
            /** @description That it was counted in. */
            group: string | null;
            importedFrom: string | null;
            language: string;
            latitude: number | null;
            longitude: number | null;
            network: string;
            os: string;
            osVersion: string | null;
            referrer: string;
            referrerUrl: string | null;
            region: string;
            /**
             * @description What chose the destination: `rule:2`, `split:1`, `expired`, …; null: the long URL of the short URL.
             * @example rule:2
             */
            route: string | null;
            /** @description null: the short URL was deleted for good. */
            shortCode: string | null;
            shortUrl: string | null;
            /** @description The gateway process that it came through. */
            source: string;
            /** @description Fields that were longer than what is kept of them. */
            truncated: string[];
            userAgent: string | null;
            utm: {
                [key: string]: string | null;
            } | null;
            /** @description A hash: the same for all visits of one browser until the keys rotate (HASH_KEY_ROTATIONS). Only for the scope `admin`; exports leave it out, too. */
            visitor?: string | null;
        };
        Group: {
            /** @description In the recycle bin. */
            deletedShortUrlsCount: number;
            /**
             * @description What short URLs name; never changes.
             * @example marketing
             */
            groupId: string;
            /** @example Marketing */
            name: string;
            shortUrlsCount: number;
        };
        GroupList: {
            groups: {
                data: components["schemas"]["Group"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        Health: {
            links: {
                about: string;
                project: string;
            };
            /** @enum {string} */
            status: "pass" | "fail";
            /** @example 5.1.0 */
            version: string;
        };
        HostAlert: {
            closedAt: string | null;
            /** @description `lasting`: after a day it is what is usual. */
            closedBecause: ("over" | "lasting") | null;
            /** @description When it had doubled, the last time. */
            escalatedAt: string | null;
            /** @description null: more than ten began to surge at once, or it was fed. */
            explanation: components["schemas"]["SurgeExplanation"] | null;
            /** @description In ASCII. `~unknown`: none could be read, or counted before hosts were; `~direct`: no referrer; `~ip`: all addresses; `~app`: all apps (one: `android-app://com.example`); `~rest` below a name: of further names, not told apart; of referrers also at the top, of last labels that no list has. */
            host: string;
            /** @example 7 */
            id: string;
            /** @enum {string} */
            kind: "target" | "referrer" | "short" | "fed";
            /** @description Too little is known of the host: `usualVisits` is of the one above it, or 0. */
            new: boolean;
            /**
             * Format: date-time
             * @description In time of visits.
             */
            openedAt: string;
            /** @enum {string} */
            state: "open" | "closed";
            /** @description In five minutes. */
            usualVisits: number;
            /** @description In five minutes, when it was opened or had doubled last. */
            visits: number;
        };
        HostAlertList: {
            alerts: {
                data: components["schemas"]["HostAlert"][];
                /** @description `after` of the next page; null: this is the last one. */
                next: string | null;
            };
        };
        HostBatch: {
            /**
             * Format: date-time
             * @description The time that it counts at.
             */
            acceptedAt: string;
            countedAt: string | null;
            /** @description The Idempotency-Key it came with. */
            key: string;
            lines: number;
            reversedAt: string | null;
            /**
             * @description `accepted`: it will be counted, or was answered 503 (send it again); `refused`: all that was ever fed would pass 2^52, so nothing of it counts; `reversed`: it does not count any more; `withdrawn`: it was to be taken away before it was counted, and never will be.
             * @enum {string}
             */
            state: "accepted" | "counted" | "refused" | "reversed" | "withdrawn";
            visits: number;
        };
        HostComparison: {
            countedUpTo: string | null;
            /**
             * Format: date-time
             * @description First instant after the range.
             */
            endDate: string;
            /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
            exact: boolean;
            /** @description In the order of `names`, all of one snapshot. */
            hosts: {
                allTime: {
                    byClass: {
                        bot: number;
                        human: number;
                        "opted-out": number;
                        prefetch: number;
                        preview: number;
                    };
                    visits: number;
                };
                /** @description In ASCII. `~unknown`: none could be read, or counted before hosts were; `~direct`: no referrer; `~ip`: all addresses; `~app`: all apps (one: `android-app://com.example`); `~rest` below a name: of further names, not told apart; of referrers also at the top, of last labels that no list has. */
                host: string;
                series: {
                    /** Format: date-time */
                    start: string;
                    visits: number;
                }[];
                /** @description Of the range. */
                totals: {
                    byClass: {
                        bot: number;
                        human: number;
                        "opted-out": number;
                        prefetch: number;
                        preview: number;
                    };
                    visits: number;
                };
                /** @description Of the last five minutes. */
                window: number;
            }[];
            /** @description At most 100 ranges; empty where `exact`. */
            inexact: {
                endDate: string;
                startDate: string;
            }[];
            /** @enum {string} */
            interval: "15min" | "hour" | "day" | "week" | "month" | "quarter" | "year";
            /** @enum {string} */
            kind: "target" | "referrer" | "short" | "fed";
            /** @description Visits published and not counted yet, of all links; null when Kafka cannot be asked, and of orphan visits. */
            pending: number | null;
            /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
            readFrom: {
                days: number;
                files: number;
                ledgerHours: number;
            };
            /** @enum {string} */
            scope: "self" | "below" | "children" | "subtree";
            /**
             * Format: date-time
             * @description Start of the range, with the offset of the zone.
             */
            startDate: string;
            /** @example Europe/Berlin */
            timeZone: string;
            /** @description Visits of the range known not to be counted, of all links. */
            uncounted: number;
        };
        HostList: {
            hosts: {
                below: string | null;
                data: {
                    byClass: {
                        bot: number;
                        human: number;
                        "opted-out": number;
                        prefetch: number;
                        preview: number;
                    };
                    /** @description Names one label below that are counted apart. */
                    children: number;
                    /** @description `window` without `usualVisits`, of which a host nobody knows enough of has none; null: the list is not ordered by it. */
                    excess: number | null;
                    /** @description In ASCII. `~unknown`: none could be read, or counted before hosts were; `~direct`: no referrer; `~ip`: all addresses; `~app`: all apps (one: `android-app://com.example`); `~rest` below a name: of further names, not told apart; of referrers also at the top, of last labels that no list has. */
                    host: string;
                    /** @description Of the name itself; `visits` has those of all names below it, too. */
                    own: number;
                    /** @description In five minutes, as for alerts: the larger median of the same time in the last four weeks and of the last two hours. null: the list is not ordered by excess, or too little is known of the host. */
                    usualVisits: number | null;
                    visits: number;
                    /** @description Of the last five minutes, where the list is ordered by it or by excess; else null. */
                    window: number | null;
                }[];
                /** @description Of the state about a second ago. False while sums are known to be wrong, and while the sums still include visits that were purged from a month that PostgreSQL has dropped, here or in another data centre. Sealing its files corrects the sums; if ARCHIVE_DAYS has removed these files, nothing does. Workers compare these sums with the visits in turn, all the time. */
                exact: boolean;
                /** @enum {string} */
                kind: "target" | "referrer" | "short" | "fed";
                /** @description `after` of the next page; null: this is the last one. */
                next: string | null;
            };
        };
        /** @description CSV: change, kind, host, visits, surges. */
        HostReport: string;
        HostSeries: {
            allTime: {
                byClass: {
                    bot: number;
                    human: number;
                    "opted-out": number;
                    prefetch: number;
                    preview: number;
                };
                visits: number;
            };
            countedUpTo: string | null;
            /**
             * Format: date-time
             * @description First instant after the range.
             */
            endDate: string;
            /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
            exact: boolean;
            /** @description In ASCII. `~unknown`: none could be read, or counted before hosts were; `~direct`: no referrer; `~ip`: all addresses; `~app`: all apps (one: `android-app://com.example`); `~rest` below a name: of further names, not told apart; of referrers also at the top, of last labels that no list has. */
            host: string;
            /** @description At most 100 ranges; empty where `exact`. */
            inexact: {
                endDate: string;
                startDate: string;
            }[];
            /** @enum {string} */
            interval: "15min" | "hour" | "day" | "week" | "month" | "quarter" | "year";
            /** @enum {string} */
            kind: "target" | "referrer" | "short" | "fed";
            /** @description Visits published and not counted yet, of all links; null when Kafka cannot be asked, and of orphan visits. */
            pending: number | null;
            /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
            readFrom: {
                days: number;
                files: number;
                ledgerHours: number;
            };
            /** @enum {string} */
            scope: "self" | "below" | "children" | "subtree";
            series: {
                /** Format: date-time */
                start: string;
                visits: number;
            }[];
            /**
             * Format: date-time
             * @description Start of the range, with the offset of the zone.
             */
            startDate: string;
            /** @example Europe/Berlin */
            timeZone: string;
            /** @description Of the range. */
            totals: {
                byClass: {
                    bot: number;
                    human: number;
                    "opted-out": number;
                    prefetch: number;
                    preview: number;
                };
                visits: number;
            };
            /** @description Visits of the range known not to be counted, of all links. */
            uncounted: number;
        };
        HostVisits: {
            /** @description Of all data centres. */
            allTime: {
                byClass: {
                    bot: number;
                    human: number;
                    "opted-out": number;
                    prefetch: number;
                    preview: number;
                };
                visits: number;
            };
            /**
             * Format: date-time
             * @description When the snapshot was taken. All numbers, and `exact`, hold at this instant. While PostgreSQL is away, `period=allTime` is answered from the last snapshot, whatever its age.
             */
            asOf: string;
            /** @description Names one label below that are counted apart. */
            children: number;
            /** @description Of which `allTime` is the sum; empty where there is one. */
            dataCentres: {
                /** @description All it had counted by then is here; null: nothing is known of it yet. */
                asOf: string | null;
                byClass: {
                    bot: number;
                    human: number;
                    "opted-out": number;
                    prefetch: number;
                    preview: number;
                };
                name: string;
                /** @description It is the one that answers. */
                own: boolean;
                visits: number;
            }[];
            /** Format: date-time */
            endDate: string;
            /** @description False when not all visits of the range are stored any more, while sums are known to be wrong, and while the sums still include visits that were purged from a month that PostgreSQL has dropped, here or in another data centre. Sealing its files corrects the sums; if ARCHIVE_DAYS has removed these files, nothing does. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
            exact: boolean;
            /** @description In ASCII. `~unknown`: none could be read, or counted before hosts were; `~direct`: no referrer; `~ip`: all addresses; `~app`: all apps (one: `android-app://com.example`); `~rest` below a name: of further names, not told apart; of referrers also at the top, of last labels that no list has. */
            host: string;
            /** @enum {string} */
            interval: "15min" | "hour" | "day" | "week" | "month" | "quarter" | "year";
            /** @enum {string} */
            kind: "target" | "referrer" | "short" | "fed";
            /** @description Some of it, or all, is not told apart in sums: names beyond those a parent may have count at its `~rest`. That is part of `below` and `subtree` of what is above it, and of no `self` or `children`. `totals` and `series` of such a name itself are counted visit by visit, `allTime` lacks it. */
            lumped: boolean;
            /** @enum {string} */
            scope: "self" | "below" | "children" | "subtree";
            series: {
                /** Format: date-time */
                start: string;
                visits: number;
            }[];
            /** Format: date-time */
            startDate: string;
            timeZone: string;
            /** @description Of the range, of this data centre. */
            totals: {
                byClass: {
                    bot: number;
                    human: number;
                    "opted-out": number;
                    prefetch: number;
                    preview: number;
                };
                visits: number;
            };
        };
        HotVisits: {
            hot: {
                /** @description Domains of short URLs. */
                hosts: {
                    /** @example s.example */
                    host: string;
                    /** @description The mean of that time, with at most three decimals. */
                    perSecond: number;
                    /** @description From `since` to `until`, bots among them: each is a request. */
                    visits: number;
                    /** @description Its share of the visits of all short URLs, with at most four decimals. */
                    weight: number;
                }[];
                links: {
                    domain: string;
                    /** @description The mean of that time, with at most three decimals. */
                    perSecond: number;
                    shortCode: string;
                    shortUrl: string;
                    /** @description From `since` to `until`, bots among them: each is a request. */
                    visits: number;
                    /** @description Its share of the visits of all short URLs, with at most four decimals. */
                    weight: number;
                }[];
                /**
                 * Format: date-time
                 * @description Start of a quarter of an hour (UTC): that before the open one.
                 */
                since: string;
                /** Format: date-time */
                until: string;
                /** @description Of all short URLs. */
                visits: number;
            };
        };
        Import: {
            /**
             * @description Character set of the file: named by its byte order mark or the upload, or else detected from its bytes. `windows-1252` that nothing names is assumed (reason `charset-assumed`).
             * @example utf-8
             */
            charset: string;
            /** @description Rows that became a link or a visit. */
            created: number;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateCreated: string;
            dateEnded: string | null;
            dateStarted: string | null;
            /** @description Of links that name none; null: the default domain. */
            domain: string | null;
            /**
             * @deprecated
             * @description As `unchanged`.
             */
            existing: number;
            /** @description Of the unchanged rows, those that are visits. */
            existingVisits: number;
            /** @description Why it ended before its end. */
            failure: string | null;
            /** @example 7 */
            id: string;
            /** @description The installation the links are of. */
            name: string;
            /**
             * @description Number of rows by reason (codes of problems, and reasons of imports). All reasons refuse the row, except `field-not-imported`, `differs-here`, `limit-from-nothing` and `visits-are-totals`.
             * @example {
             *       "non-unique-slug": 2,
             *       "field-not-imported": 1
             *     }
             */
            reasons: {
                [key: string]: number;
            };
            /** @description Rows from which nothing was imported. */
            refused: number;
            /** @description Processed rows of the file: the sum of `created`, `updated`, `unchanged` and `refused`. */
            rows: number;
            /**
             * @deprecated
             * @description As `refused`.
             */
            skipped: number;
            /** @description The first thousand; all of them (at most 100,000, for 90 days): `GET …/report`. */
            skips: {
                detail: string;
                /** @description Field that the reason is about; null: the whole row. */
                field: string | null;
                /** @description Line on which the row begins, from 1; null: it has none. */
                line: number | null;
                reason: string;
                /** @description Rows of CSV count from 1 after the header. 0: the file. */
                row: number;
            }[];
            /**
             * @description Whose format the file has.
             * @example shlink
             */
            source: string;
            /** @enum {string} */
            state: "uploading" | "waiting" | "running" | "done" | "failed";
            /** @description Rows whose link (to the same URL) or visit existed already. It is unchanged. */
            unchanged: number;
            /** @description Rows whose link existed already and got the title, note or tags of the row (with `update`). */
            updated: number;
            /** @description Of the created rows, those that are visits. */
            visits: number;
        };
        /** @description CSV with the columns line, row, field, reason and detail; see `skips` of an import. */
        ImportReport: string;
        Invite: {
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateExpires: string;
            /**
             * Format: uri
             * @description A page of this API; what is behind the `#` is the token.
             */
            link: string;
            token: string;
        };
        InviteList: {
            invites: {
                data: components["schemas"]["OpenInvite"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        Job: {
            askedBy: string;
            /** @description Numbers of what the job has done so far. */
            counts: {
                [key: string]: number;
            };
            /** Format: date-time */
            createdAt: string;
            /** @description How much of this step is done. */
            done: number | null;
            endedAt: string | null;
            error: string | null;
            /** @example 17 */
            id: string;
            /** @description Whether a worker runs it now. A worker takes a pending job within seconds. */
            isHeld: boolean;
            /** @enum {string} */
            kind: "rebuild" | "verify" | "redrive" | "seal" | "replay";
            parameters: {
                [key: string]: string | number;
            };
            /** @description Average rate of this step. */
            perSecond: number | null;
            /** @description Numbers of what the job would change. null until the plan is made. */
            plan: {
                [key: string]: number;
            } | null;
            /** @description Time left of this step at that rate. */
            secondsLeft: number | null;
            startedAt: string | null;
            /**
             * @description `planning`: a worker finds out what would change. `planned`: ready to be started. `mismatch`: the job is done, but some numbers still differ.
             * @enum {string}
             */
            state: "planning" | "planned" | "running" | "paused" | "done" | "mismatch" | "failed" | "cancelled";
            /** @description What the job is doing now. */
            step: string | null;
            /** @description How much there is to do in this step. null: not known. */
            total: number | null;
        };
        JobList: {
            jobs: {
                data: components["schemas"]["Job"][];
            };
        };
        /** @description JSON Lines: a ShortUrl a line, with `redirectRules` and `split`. CSV: a row each, with its names in the first row, what is in `meta` and `visitsSummary` in columns of its own, tags as `a|b` (as JSON if one of them has `|` or `,`), and text that a spreadsheet would run as a formula behind an apostrophe. */
        LinkExport: string;
        LinkStatistics: {
            /** @description The licence of the geography data asks for this line. */
            attribution: string;
            countedUpTo: string | null;
            dimensions: {
                browser: {
                    value: string;
                    visits: number;
                }[];
                city: {
                    value: string;
                    visits: number;
                }[];
                country: {
                    value: string;
                    visits: number;
                }[];
                device: {
                    value: string;
                    visits: number;
                }[];
                language: {
                    value: string;
                    visits: number;
                }[];
                network: {
                    value: string;
                    visits: number;
                }[];
                os: {
                    value: string;
                    visits: number;
                }[];
                referrer: {
                    value: string;
                    visits: number;
                }[];
                region: {
                    value: string;
                    visits: number;
                }[];
            };
            domain: string | null;
            /**
             * Format: date-time
             * @description First instant after the range.
             */
            endDate: string;
            /** @description False where neither the ledger nor the archive holds what was counted: visits of whole quarter hours are exact all the same; visitors, IPs and dimensions are those of the visits that are left; while sums are known to be wrong; and where these are not as many as were added up. `inexact` says where. */
            exact: boolean;
            /** @description At most 100 ranges; empty where `exact`. */
            inexact: {
                endDate: string;
                startDate: string;
            }[];
            /** @enum {string} */
            interval: "15min" | "hour" | "day" | "week" | "month" | "quarter" | "year";
            /** @description When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. Empty: distinct over all of the range. */
            keyRotations: string[];
            /** @description Visits published and not counted yet, of all links; null when Kafka cannot be asked. */
            pending: number | null;
            /** @description Which visits were read from where; the sums are the same whatever the split. */
            readFrom: {
                archivedVisits: number;
                hourFolds: number;
                ledgerVisits: number;
            };
            series: {
                ips: number;
                /**
                 * Format: date-time
                 * @description With the offset at that instant: the two 02:00 of a 25-hour day differ.
                 */
                start: string;
                visitors: number;
                visits: number;
            }[];
            shortCode: string;
            /**
             * Format: date-time
             * @description Start of the range, with the offset of the zone.
             */
            startDate: string;
            /** @example Europe/Berlin */
            timeZone: string;
            totals: {
                byClass: {
                    bot: number;
                    human: number;
                    "opted-out": number;
                    prefetch: number;
                    preview: number;
                };
                ips: number;
                visitors: number;
                visits: number;
            };
            /** @description Visits of this range known not to be counted, of all links, in whole minutes: answered while neither Kafka nor the disk took them, put into a dead letter, or reported by a gateway and never arrived. 0 in normal running. */
            uncounted: number;
        };
        /** @description Server-sent events. */
        LiveEvents: string;
        LiveVisits: {
            /** @description The licence of the geography data asks for this line. */
            attribution: string;
            countedUpTo: string | null;
            /**
             * Format: date-time
             * @description First instant after the range.
             */
            endDate: string;
            /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
            exact: boolean;
            /** @description At most 100 ranges; empty where `exact`. */
            inexact: {
                endDate: string;
                startDate: string;
            }[];
            /** @description When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. Empty: distinct over all of the range. */
            keyRotations: string[];
            minutes5: {
                ips: number;
                /** @description Not of orphan visits: nobody knows whose they are. */
                visitors?: number;
                visits: number;
            };
            minutes30: {
                ips: number;
                /** @description Not of orphan visits: nobody knows whose they are. */
                visitors?: number;
                visits: number;
            };
            /** @description Visits published and not counted yet, of all links; null when Kafka cannot be asked, and of orphan visits. */
            pending: number | null;
            /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
            readFrom: {
                days: number;
                files: number;
                ledgerHours: number;
            };
            /**
             * Format: date-time
             * @description Start of the range, with the offset of the zone.
             */
            startDate: string;
            /** @example Europe/Berlin */
            timeZone: string;
            /** @description Visits of the range known not to be counted, of all links. */
            uncounted: number;
        };
        MercureInfo: {
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            jwtExpiration: string;
            /** @description Where visits can be followed: an address of this API. */
            mercureHubUrl: string;
            token: string;
        };
        MovedShortUrls: {
            /** @description Those that were not in the group already. */
            movedShortUrls: number;
        };
        NewAlert: {
            /**
             * @description The only address to which this alert may send e-mail: that of the account that created it. null: any.
             * @example ada@example.com
             */
            allowedEmail: string | null;
            /** @enum {string} */
            channel: "webhook" | "slack" | "email";
            /**
             * Format: date-time
             * @description End of the last window that was checked.
             */
            checkedUntil: string;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            createdAt: string;
            /** @description `name`: the e-mail address of the user, or the name of the API key. */
            createdBy: {
                id: number;
                /** @enum {string} */
                kind: "user" | "api-key";
                name: string;
            };
            deliveredAt: string | null;
            /** @description Why the alert was disabled automatically. null: it is enabled, or a user disabled it. */
            disabledReason: string | null;
            domain: string | null;
            /**
             * @description null: the alert posts to `url`.
             * @example ada@example.com
             */
            email: string | null;
            enabled: boolean;
            /** @description null for `above` and `below`. */
            factor: number | null;
            group: string | null;
            host: string | null;
            hostKind: ("target" | "referrer" | "short" | "fed") | null;
            /** @example 7 */
            id: string;
            /** @enum {string} */
            kind: "rise" | "drop" | "above" | "below";
            lastFailure: {
                /**
                 * Format: date-time
                 * @description Whole seconds, `+00:00`.
                 */
                at: string;
                reason: string;
            } | null;
            /** @example Sale page is quiet */
            name: string;
            /** @description Whether the condition was met in the last window or in one that overlaps it. */
            ongoing: boolean;
            /** @description Messages are signed with it (Standard Webhooks). It is not shown again. null: e-mail is not signed. */
            secret: string | null;
            shortCode: string | null;
            tag: string | null;
            threshold: number;
            /** @example Europe/Berlin */
            timeZone: string;
            /** @description End of the window of the last message. */
            toldAt: string | null;
            /**
             * @description null: the alert sends e-mail.
             * @example https://hooks.example.com/hopcount
             */
            url: string | null;
            /** @description false: the alert is not checked and sends nothing, because its creator may no longer see these visits or use this e-mail address, the short URL was deleted, or the tag or host is too large. */
            watched: boolean;
            windowMinutes: number;
        };
        NewApiKey: {
            /** @description The key itself: it is not kept, and never shown again. */
            apiKey: string;
            /** @description It reaches only short URLs that it created. */
            authoredOnly: boolean;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateCreated: string;
            dateExpires: string | null;
            /** @description Written at most once a minute. */
            dateLastUsed: string | null;
            /** @description The only domain whose short URLs it reaches; null: any. */
            domain: string | null;
            id: number;
            /** @example newsletter */
            name: string;
            /** @description It sees no orphan visits. */
            noOrphanVisits: boolean;
            /** @description How the key begins; null of keys from before this was kept. */
            prefix: string | null;
            /** @description Until when the secret before the last rotation works, too. */
            previousUntil: string | null;
            scopes: ("links:read" | "links:write" | "statistics:read" | "visits:purge" | "hosts:write" | "admin")[];
            /** @enum {string} */
            state: "active" | "disabled" | "expired" | "revoked";
        };
        NewShareLink: {
            createdBy: {
                id: number;
                name: string;
            };
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateCreated: string;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateExpires: string;
            id: number;
            /**
             * Format: uri
             * @description A page of this API; what is behind the `#` is the token.
             */
            link: string;
            /** @example Spring, for the agency */
            name: string;
            /** @description For the header `X-Share-Token`. It is never shown again. */
            token: string;
            /** @description Whose visits it shows and which of them, of any time. */
            view: {
                domain: string | null;
                /**
                 * @example [
                 *       "country=DE"
                 *     ]
                 */
                filters: string[];
                group: string | null;
                shortCode: string | null;
                tag: string | null;
            };
        };
        NewWebhook: {
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            createdAt: string;
            /** @description When the receiver last took an event. */
            deliveredAt: string | null;
            /** @example newsletter */
            description: string;
            /**
             * @description Why it is disabled; null when it is enabled, or somebody disabled it.
             * @example Nothing could be delivered for a day: the receiver answered 500.
             */
            disabledReason: string | null;
            enabled: boolean;
            events: ("link.created" | "link.edited" | "link.visits_reached" | "link.anomaly" | "host.surged")[];
            /** @description Since when nothing was taken; null when the last one was. */
            failingSince: string | null;
            /** @example 7 */
            id: string;
            lastFailure: {
                /**
                 * Format: date-time
                 * @description Whole seconds, `+00:00`.
                 */
                at: string;
                /** @example The receiver answered 500. */
                reason: string;
            } | null;
            /** @description When as many waited as can; events may be missing since. */
            overflowedAt: string | null;
            /**
             * @description What its events are signed with (Standard Webhooks). It is never shown again.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret: string;
            /** @example https://hooks.example.com/hopcount */
            url: string;
            /** @description With `link.visits_reached`: the numbers that are told, once each. */
            visits: number[];
            /** @description Events to be posted; at most 10,000 wait, more are not kept. */
            waiting: number;
        };
        NotFoundRedirects: {
            baseUrlRedirect: string | null;
            invalidShortUrlRedirect: string | null;
            regular404Redirect: string | null;
        };
        OpenInvite: {
            /** @description null: a command. */
            createdBy: {
                id: number;
                /** @enum {string} */
                kind: "user" | "api-key";
                name: string;
            } | null;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateCreated: string;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateExpires: string;
            /** @description Whose password it is about; null: it makes an account. */
            email: string | null;
            groups: {
                [key: string]: "viewer" | "member" | "owner";
            };
            id: number;
            /** @description Worth nothing once there is an account. */
            onlyFirst: boolean;
            role: ("viewer" | "member" | "owner") | null;
        };
        OrphanVisit: {
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            date: string;
            /** Format: uuid */
            eventId: string;
            potentialBot: boolean;
            /** @description null for the tracking pixel. */
            redirectUrl: string | null;
            referer: string;
            /** @enum {string} */
            type: "base_url" | "invalid_short_url" | "regular_404" | "blocked" | "held_back";
            userAgent: string;
            /** @description As asked for, without the query string, which is not kept. */
            visitedUrl: string;
            visitLocation: components["schemas"]["VisitLocation"] | null;
        };
        OrphanVisitList: {
            visits: {
                data: components["schemas"]["OrphanVisit"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        Pagination: {
            currentPage: number;
            itemsInCurrentPage: number;
            itemsPerPage: number;
            pagesCount: number;
            totalItems: number;
            /**
             * @description A broad search: more items may match.
             * @constant
             */
            totalItemsIsLowerBound?: true;
        };
        PartitionLag: {
            /** @description Every offset below is counted; null: nothing was yet. */
            checkpoint: string | null;
            lastRecordAgeMs: number | null;
            /**
             * @description A whole number, beyond what JSON numbers hold.
             * @example 1042
             */
            logEnd: string;
            /** @description Removed by retention before they were counted. */
            lost: number;
            partition: number;
            pending: number;
        };
        Problem: {
            detail: string;
            /** @description The request id, as in the `x-request-id` header. */
            instance?: string;
            /** @description Names of the fields that cannot be used. */
            invalidElements?: string[];
            /** @description Why, field by field; `tags.0` is the first of the tags. */
            reasons?: {
                field: string;
                reason: string;
            }[];
            status: number;
            title: string;
            /** @description Stable URI of the kind of problem. */
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The bytes of the picture. */
        QrCode: string;
        RecoveryCodes: {
            /** @description Each is taken once; not kept, and never shown again. */
            recoveryCodes: string[];
        };
        RedirectCondition: {
            matchKey: string | null;
            /** @example android */
            matchValue: string | null;
            /** @example device */
            type: string;
        };
        RedirectRule: {
            conditions: components["schemas"]["RedirectCondition"][];
            /** @example https://example.com/android */
            longUrl: string;
            /** @description From 1; the first rule whose conditions all hold counts. */
            priority: number;
        };
        RedirectRules: {
            /** @description For visitors neither a rule nor the split is about. */
            defaultLongUrl: string;
            redirectRules: components["schemas"]["RedirectRule"][];
            /** @description For visitors no rule is about; empty: none. */
            split: components["schemas"]["SplitTarget"][];
        };
        Redrive: {
            /** @description Of its row in the audit log. */
            actionId: string;
            alreadyCounted: number;
            /** @description Visits that nobody had counted. */
            expectedCountChange: number;
            purged: number;
            /** @description They come back as new dead letters. */
            refusedAgain: number;
            sent: number;
        };
        SecondFactor: {
            /** @description That code, to be shown: an SVG as a `data:` address. */
            qrCode: string;
            /** @description Base32. */
            secret: string;
            /** @description The same for a QR code: `otpauth://totp/…`. */
            uri: string;
        };
        Session: {
            /**
             * @description As its user agent said when it began, as `os` and `device`; `unknown` where none is known.
             * @example Firefox
             */
            browser: string;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateCreated: string;
            /**
             * Format: date-time
             * @description Unless it is used before.
             */
            dateExpires: string;
            /**
             * Format: date-time
             * @description To the minute.
             */
            dateLastUsed: string;
            /** @example desktop */
            device: string;
            /** @example 9f86d081884c7d65 */
            id: string;
            /** @description Whether it is the one that asks. */
            isThis: boolean;
            /** @example Linux */
            os: string;
        };
        SessionList: {
            sessions: {
                data: components["schemas"]["Session"][];
            };
        };
        ShareLink: {
            createdBy: {
                id: number;
                name: string;
            };
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateCreated: string;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateExpires: string;
            id: number;
            /** @example Spring, for the agency */
            name: string;
            /** @description Whose visits it shows and which of them, of any time. */
            view: {
                domain: string | null;
                /**
                 * @example [
                 *       "country=DE"
                 *     ]
                 */
                filters: string[];
                group: string | null;
                shortCode: string | null;
                tag: string | null;
            };
        };
        ShareLinkList: {
            shareLinks: {
                data: components["schemas"]["ShareLink"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        ShortUrl: {
            crawlable: boolean;
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateCreated: string;
            disabled: boolean;
            /** @description null on the default domain. */
            domain: string | null;
            expiredUrl: string | null;
            extraPath: ("append" | "ignore") | null;
            forwardQuery: boolean;
            /** @example marketing */
            groupId: string | null;
            /** @description Whether visitors are asked for a password, which is never answered. */
            hasPassword: boolean;
            hasRedirectRules: boolean;
            /**
             * @description Immutable; a snowflake as decimal text.
             * @example 249856225617469440
             */
            id: string;
            /** @example https://example.com/a?b=c */
            longUrl: string;
            meta: {
                maxVisits: number | null;
                validSince: string | null;
                validUntil: string | null;
            };
            /** @description For those who manage links; no visitor sees it. */
            note: string | null;
            /** @enum {number} */
            redirectStatus: 301 | 302 | 307 | 308;
            /** @example 7xKqPzR */
            shortCode: string;
            /**
             * @description What visitors open.
             * @example http://localhost:8080/7xKqPzR
             */
            shortUrl: string;
            /**
             * @example [
             *       "docs",
             *       "spring-sale"
             *     ]
             */
            tags: string[];
            title: string | null;
            /** @description All-time visits, from the slotted counters. */
            visitsSummary: components["schemas"]["VisitsSummary"];
            /** @description Whether visitors are shown where the link leads first. */
            warn: boolean;
        };
        ShortUrlBatch: {
            /** @description How many of the links are new. */
            created: number;
            results: ({
                /** @description false: findIfExists. */
                isNew: boolean;
                shortUrl: components["schemas"]["ShortUrl"];
            } | {
                /** @description Why this link was not created. */
                problem: components["schemas"]["Problem"];
            })[];
        };
        ShortUrlList: {
            shortUrls: {
                data: components["schemas"]["ShortUrl"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        SplitTarget: {
            longUrl: string;
            /** @description Its share of the sum of all weights. */
            weight: number;
        };
        /** @description What it is made of; the five with the most visits of each. */
        SurgeExplanation: {
            /** @description Of `visits`, by bots, previews and prefetches. */
            bots: number;
            /** @description Distinct names one label below it that had some. */
            children: number;
            countries: {
                country: string;
                visits: number;
            }[];
            links: {
                domain: string;
                shortCode: string;
                visits: number;
            }[];
            referrers: {
                referrer: string;
                visits: number;
            }[];
            /** @description In these five minutes, of the newest 100,000 visits of all hosts; the rest is of them. */
            visits: number;
        };
        System: {
            archive: {
                active: components["schemas"]["ArchiveFilesSum"];
                damaged: components["schemas"]["ArchiveFilesSum"];
                expired: components["schemas"]["ArchiveFilesSum"];
                replaced: components["schemas"]["ArchiveFilesSum"];
            } | null;
            /**
             * Format: date-time
             * @description When it was looked at: up to 3 seconds ago.
             */
            at: string;
            /** @description Gateways' own minutes, held against what was counted. */
            audits: {
                answeredVisits: number;
                differentMinutes: number;
                missingVisits: number;
                openMinutes: number;
                surplusVisits: number;
                unauditedMinutes: number;
                unauditedVisits: number;
                unreportedMinutes: number;
            } | null;
            counting: {
                consumers: {
                    members: number;
                    state: string;
                };
                countedUpTo: string | null;
                partitions: components["schemas"]["PartitionLag"][];
                pending: number;
            } | null;
            deadLetters: {
                letters: number;
                waiting: number;
            } | null;
            /** @description Visits by which sums differ from their buckets, in a sample; `slots` null: kept by none. */
            drift: {
                hostChecksums: number;
                hosts: number;
                slots: number | null;
            } | null;
            /** @description Processes of gateways as they last said, every 30 seconds: 200 at most, and of silent ones those alone that left visits. */
            gateways: {
                name: string;
                silentSeconds: number;
                /** @description On the disk of its machine, until Kafka takes them. */
                spooledVisits: number;
                version: string | null;
            }[] | null;
            /** @description The ten links that are visited most now, if any is visited much. */
            heat: {
                links: {
                    domain: string;
                    folded: boolean;
                    shortCode: string;
                    slots: number;
                    visits: number;
                }[];
            } | null;
            lost: {
                foundAt: string | null;
                records: number;
            } | null;
            /** @description As PostgreSQL knows them. Gateways are there only while they ask it. */
            processes: {
                connections: number;
                name: string;
                silentSeconds: number | null;
            }[] | null;
            surges: {
                open: number;
                searchedUpTo: string | null;
            } | null;
            /** @description Visits of the last 24 hours known to be missing. */
            uncounted: {
                /** Format: date-time */
                since: string;
                visits: number;
            } | null;
            /**
             * @description Parts that could not be read, which are null for that reason.
             * @example [
             *       "counting",
             *       "deadLetters"
             *     ]
             */
            unknown: string[];
            /** @description The newest that was started here. */
            verification: components["schemas"]["Verification"] | null;
            /** @description Of this api. */
            version: string;
        };
        SystemCheck: {
            /** @description What to do; null when nothing is. */
            advice: string | null;
            /** @description What `advice` says. */
            adviceCode: ("migrate" | "point-to-primary" | "set-role" | "grant-temporary" | "set-clocks" | "synchronise-clocks" | "start-worker" | "see-worker-log" | "ask-for-partitions" | "forget-nothing" | "create-topics" | "change-topic" | "keep-copies" | "start-consumer" | "look-again" | "watch-lag" | "raise-retention" | "see-lost-offsets" | "see-dead-letters" | "set-archive" | "seal-archive" | "restore-files" | "rebuild-sums" | "files-sealed-again" | "files-held" | "see-worker-log-of-months" | "count-visits" | "leave-one-spelling" | "reach-peers" | "see-worker-log-of-peers" | "set-hash-keys" | "correct-cluster" | "point-to-standby" | "see-api-log" | "run-again") | null;
            /** @example Stable, members: 1, pending: 0 */
            found: string;
            /** @description What `found` says, with `values`; null: it has no code. */
            foundCode: ("migrations-done" | "migrations-pending" | "postgres-answers" | "postgres-read-only" | "postgres-sessions-unset" | "postgres-no-temporary-tables" | "clock-apart" | "worker-away" | "worker-heard" | "no-backlog" | "backlog" | "partitions-made" | "partitions-missing" | "empty" | "visits-without-partition" | "copies-kept" | "copies-missing" | "topic-missing" | "topic-partitions" | "topic-settings" | "group-state" | "losing-records" | "nothing-lost" | "records-lost" | "none-waits" | "letters-wait" | "no-old-months" | "old-months" | "old-months-not-archived" | "sums-right" | "sums-doubted" | "totals-doubted" | "files-whole" | "files-damaged" | "surges" | "surges-not-searched" | "no-codes-alike" | "codes-alike" | "codes-alike-more" | "peers" | "peers-refused" | "hash-keys-differ" | "standby-late" | "standby-promoted" | "cluster" | "other-cluster" | "answers" | "does-not-answer" | "not-looked-at") | null;
            /** @example consumers */
            name: string;
            /** @enum {string} */
            status: "ok" | "warn" | "fail";
            values: {
                [key: string]: string | number;
            };
        };
        SystemChecks: {
            checks: {
                data: components["schemas"]["SystemCheck"][];
            };
        };
        TagList: {
            tags: {
                data: string[];
                pagination: components["schemas"]["Pagination"];
            };
        };
        TagStats: {
            /** @description Deleted ones do not count. */
            shortUrlsCount: number;
            /** @example spring-sale */
            tag: string;
            /** @description All-time visits of the short URLs that have the tag now, deleted ones too; about a second behind. */
            visitsSummary: components["schemas"]["VisitsSummary"];
        };
        TagStatsList: {
            tags: {
                data: components["schemas"]["TagStats"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        TriedRules: {
            /** @description Whose conditions all hold, from 1; null: of none. */
            rule: number | null;
            /** @description One, or those of the split: each visitor always goes to the same one of them. */
            targets: components["schemas"]["SplitTarget"][];
        };
        User: {
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            dateCreated: string;
            dateLastSignIn: string | null;
            /**
             * @description What they sign in with, in lower case.
             * @example ada@example.com
             */
            email: string;
            enabled: boolean;
            /** @description Role of each group by its id. */
            groups: {
                [key: string]: "viewer" | "member" | "owner";
            };
            /** @description Whether an account at an OpenID Connect provider is bound. */
            hasProvider: boolean;
            id: number;
            /** @example Ada */
            name: string;
            /** @description Of everything; null: only of groups. */
            role: ("viewer" | "member" | "owner") | null;
            /** @description Whether signing in takes a code, too. */
            secondFactor: boolean;
        };
        UserList: {
            users: {
                data: components["schemas"]["User"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        Verification: {
            /** @description At most 1,000 of each check are counted. */
            differences: number | null;
            endedAt: string | null;
            error: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            startedBy: string;
            /**
             * @description `waiting`: no worker has taken it yet. `paused`: an operator paused its job. `broken-off`: its worker is silent; another one continues. `mismatch`: numbers differ.
             * @enum {string}
             */
            state: "waiting" | "running" | "paused" | "broken-off" | "done" | "mismatch" | "failed";
            /** @description What is being checked now. */
            step: string | null;
            visits: number | null;
        };
        VerificationList: {
            verifications: {
                data: components["schemas"]["Verification"][];
            };
        };
        Visit: {
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            date: string;
            /**
             * Format: uuid
             * @description Also the `x-visit-id` header of the redirect.
             */
            eventId: string;
            /** @description Of imported visits: the installation that counted it. */
            importedFrom?: string;
            potentialBot: boolean;
            /** @description null for the tracking pixel. */
            redirectUrl: string | null;
            referer: string;
            userAgent: string;
            visitedUrl: string | null;
            visitLocation: components["schemas"]["VisitLocation"] | null;
        };
        VisitedLinks: {
            /** @description The licence of the geography data asks for this line. */
            attribution: string;
            countedUpTo: string | null;
            /**
             * Format: date-time
             * @description First instant after the range.
             */
            endDate: string;
            /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
            exact: boolean;
            /** @description At most 100 ranges; empty where `exact`. */
            inexact: {
                endDate: string;
                startDate: string;
            }[];
            /** @description When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. Empty: distinct over all of the range. */
            keyRotations: string[];
            links: {
                data: {
                    domain: string | null;
                    /** @description Distinct addresses; only where they were asked for. */
                    ips?: number;
                    shortCode: string | null;
                    shortUrl: string | null;
                    /** @description Distinct visitors; only where they were asked for. */
                    visitors?: number;
                    visits: number;
                }[];
                pagination: components["schemas"]["Pagination"];
            };
            /** @description All that are not on this page, together: the page and this sum to `visits`. */
            other: {
                values: number;
                visits: number;
            };
            /** @description Visits published and not counted yet, of all links; null when Kafka cannot be asked, and of orphan visits. */
            pending: number | null;
            /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
            readFrom: {
                days: number;
                files: number;
                ledgerHours: number;
            };
            /**
             * Format: date-time
             * @description Start of the range, with the offset of the zone.
             */
            startDate: string;
            /** @example Europe/Berlin */
            timeZone: string;
            /** @description Visits of the range known not to be counted, of all links. */
            uncounted: number;
            visits: number;
        };
        /** @description JSON Lines: an object a line with `eventId`, `date` (UTC, to the millisecond), `shortUrl`, `shortCode`, `domain` (null: the default one), `referer`, `userAgent`, `class` (human, bot, preview, prefetch or opted-out), `country`, `region`, `city`, `latitude`, `longitude`, `os`, `browser`, `device`, `referrerHost`, `language`, `redirectUrl`, `importedFrom` (of visits that another installation counted), `groupId`, `osVersion`, `browserVersion`, `network`, `channel`, `classReason`, `route`, `utmSource`, `utmMedium`, `utmCampaign`, `utmTerm` and `utmContent`; null: unknown, or none. No address and no visitor. CSV: the same names in the first row, a row each, null as nothing, and text that a spreadsheet would run as a formula behind an apostrophe. */
        VisitExport: string;
        VisitList: {
            visits: {
                data: components["schemas"]["Visit"][];
                pagination: components["schemas"]["Pagination"];
            };
        };
        VisitLocation: {
            cityName: string;
            /** @example DE */
            countryCode: string;
            /** @example Germany */
            countryName: string;
            isEmpty: boolean;
            latitude: number;
            longitude: number;
            regionName: string;
            timezone: string;
        };
        VisitsDimension: {
            /** @description The licence of the geography data asks for this line. */
            attribution: string;
            countedUpTo: string | null;
            /** @enum {string} */
            dimension: "country" | "region" | "city" | "os" | "browser" | "device" | "network" | "referrer" | "language" | "osVersion" | "browserVersion" | "referrerUrl" | "destination" | "route" | "importedFrom" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent" | "domain" | "group" | "class" | "channel" | "classReason" | "ip" | "type" | "path" | "firstSeen";
            /**
             * Format: date-time
             * @description First instant after the range.
             */
            endDate: string;
            /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
            exact: boolean;
            /** @description At most 100 ranges; empty where `exact`. */
            inexact: {
                endDate: string;
                startDate: string;
            }[];
            /** @description When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. Empty: distinct over all of the range. */
            keyRotations: string[];
            /** @description All that are not on this page, together: the page and this sum to `visits`. */
            other: {
                values: number;
                visits: number;
            };
            /** @description Visits published and not counted yet, of all links; null when Kafka cannot be asked, and of orphan visits. */
            pending: number | null;
            /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
            readFrom: {
                days: number;
                files: number;
                ledgerHours: number;
            };
            /**
             * Format: date-time
             * @description Start of the range, with the offset of the zone.
             */
            startDate: string;
            /** @example Europe/Berlin */
            timeZone: string;
            /** @description Visits of the range known not to be counted, of all links. */
            uncounted: number;
            values: {
                data: {
                    /** @description Distinct addresses; only where they were asked for. */
                    ips?: number;
                    value: string;
                    /** @description Distinct visitors; only where they were asked for. */
                    visitors?: number;
                    visits: number;
                }[];
                pagination: components["schemas"]["Pagination"];
            };
            visits: number;
        };
        VisitsExplained: {
            /** @description The licence of the geography data asks for this line. */
            attribution: string;
            countedUpTo: string | null;
            /**
             * Format: date-time
             * @description First instant after the range.
             */
            endDate: string;
            /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
            exact: boolean;
            /** @description At most 100 ranges; empty where `exact`. */
            inexact: {
                endDate: string;
                startDate: string;
            }[];
            /** @description When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. Empty: distinct over all of the range. */
            keyRotations: string[];
            /** @description `before` of the next page; null: there is none. */
            next: string | null;
            /** @description Visits published and not counted yet, of all links; null when Kafka cannot be asked, and of orphan visits. */
            pending: number | null;
            /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
            readFrom: {
                days: number;
                files: number;
                ledgerHours: number;
            };
            /**
             * Format: date-time
             * @description Start of the range, with the offset of the zone.
             */
            startDate: string;
            /** @example Europe/Berlin */
            timeZone: string;
            /** @description Visits of the range known not to be counted, of all links. */
            uncounted: number;
            /** @description Newest first. */
            visits: components["schemas"]["ExplainedVisit"][];
        };
        VisitsMatrix: {
            /** @description The licence of the geography data asks for this line. */
            attribution: string;
            /** @description Visits by row, then column, in the order of `values`; behind the last of each one more, of all others. They sum to `visits`. */
            cells: number[][];
            columns: {
                /** @enum {string} */
                dimension: "hour" | "weekday" | "country" | "region" | "city" | "os" | "browser" | "device" | "network" | "referrer" | "language" | "osVersion" | "browserVersion" | "referrerUrl" | "destination" | "route" | "importedFrom" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent" | "domain" | "group" | "class" | "channel" | "classReason" | "ip";
                /** @description All values beside those, together. */
                other: {
                    values: number;
                    visits: number;
                };
                values: {
                    value: string;
                    visits: number;
                }[];
            };
            countedUpTo: string | null;
            /**
             * Format: date-time
             * @description First instant after the range.
             */
            endDate: string;
            /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
            exact: boolean;
            /** @description At most 100 ranges; empty where `exact`. */
            inexact: {
                endDate: string;
                startDate: string;
            }[];
            /** @description When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. Empty: distinct over all of the range. */
            keyRotations: string[];
            /** @description Visits published and not counted yet, of all links; null when Kafka cannot be asked, and of orphan visits. */
            pending: number | null;
            /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
            readFrom: {
                days: number;
                files: number;
                ledgerHours: number;
            };
            rows: {
                /** @enum {string} */
                dimension: "hour" | "weekday" | "country" | "region" | "city" | "os" | "browser" | "device" | "network" | "referrer" | "language" | "osVersion" | "browserVersion" | "referrerUrl" | "destination" | "route" | "importedFrom" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent" | "domain" | "group" | "class" | "channel" | "classReason" | "ip";
                /** @description All values beside those, together. */
                other: {
                    values: number;
                    visits: number;
                };
                values: {
                    value: string;
                    visits: number;
                }[];
            };
            /**
             * Format: date-time
             * @description Start of the range, with the offset of the zone.
             */
            startDate: string;
            /** @example Europe/Berlin */
            timeZone: string;
            /** @description Visits of the range known not to be counted, of all links. */
            uncounted: number;
            visits: number;
        };
        VisitsOverview: {
            visits: {
                nonOrphanVisits: components["schemas"]["VisitsSummary"];
                orphanVisits: components["schemas"]["VisitsSummary"];
            };
        };
        VisitsProof: {
            /** @description `rows` and `buckets` are equal: always where `exact`. */
            agree: boolean;
            /** @description The licence of the geography data asks for this line. */
            attribution: string;
            /** @description The same, as it was added up when they were counted. */
            buckets: {
                /** @description XOR of the 62 random bits of the ids of these visits, as a decimal number. */
                checksum: string;
                visits: number;
            };
            /**
             * @description Whose visits are compared: those of the scope; of a group of which a part has left the ledger, those of all short URLs.
             * @enum {string}
             */
            comparedOf: "scope" | "all";
            countedUpTo: string | null;
            /**
             * Format: date-time
             * @description First instant after the range.
             */
            endDate: string;
            /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
            exact: boolean;
            /** @description At most 100 ranges; empty where `exact`. */
            inexact: {
                endDate: string;
                startDate: string;
            }[];
            /** @description When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. Empty: distinct over all of the range. */
            keyRotations: string[];
            /** @description Visits published and not counted yet, of all links; null when Kafka cannot be asked, and of orphan visits. */
            pending: number | null;
            /** @description The whole quarter hours that hold the range. */
            quarterHours: {
                endDate: string;
                startDate: string;
            };
            /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
            readFrom: {
                days: number;
                files: number;
                ledgerHours: number;
            };
            /** @description All visits of those quarter hours, whatever the filters, as they are read now. */
            rows: {
                /** @description XOR of the 62 random bits of the ids of these visits, as a decimal number. */
                checksum: string;
                visits: number;
            };
            /**
             * Format: date-time
             * @description Start of the range, with the offset of the zone.
             */
            startDate: string;
            /** @example Europe/Berlin */
            timeZone: string;
            /** @description Visits of the range known not to be counted, of all links. */
            uncounted: number;
            /** @description The visits of the range that the filters let through. */
            used: {
                /** @description XOR of the 62 random bits of the ids of these visits, as a decimal number. */
                checksum: string;
                visits: number;
            };
        };
        VisitsSeries: {
            /** @description The licence of the geography data asks for this line. */
            attribution: string;
            compared?: {
                /**
                 * Format: date-time
                 * @description First instant after the range.
                 */
                endDate: string;
                /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
                exact: boolean;
                /** @description At most 100 ranges; empty where `exact`. */
                inexact: {
                    endDate: string;
                    startDate: string;
                }[];
                /** @description When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. Empty: distinct over all of the range. */
                keyRotations: string[];
                /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
                readFrom: {
                    days: number;
                    files: number;
                    ledgerHours: number;
                };
                series: {
                    /** @description Distinct addresses; only where they were asked for. */
                    ips?: number;
                    /**
                     * Format: date-time
                     * @description With the offset of the zone at that instant.
                     */
                    start: string;
                    /** @description Distinct visitors; only where they were asked for. */
                    visitors?: number;
                    visits: number;
                }[];
                /**
                 * Format: date-time
                 * @description Start of the range, with the offset of the zone.
                 */
                startDate: string;
            };
            countedUpTo: string | null;
            /**
             * Format: date-time
             * @description First instant after the range.
             */
            endDate: string;
            /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
            exact: boolean;
            /** @description At most 100 ranges; empty where `exact`. */
            inexact: {
                endDate: string;
                startDate: string;
            }[];
            /** @enum {string} */
            interval: "15min" | "hour" | "day" | "week" | "month" | "quarter" | "year";
            /** @description When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. Empty: distinct over all of the range. */
            keyRotations: string[];
            /** @description Visits published and not counted yet, of all links; null when Kafka cannot be asked, and of orphan visits. */
            pending: number | null;
            /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
            readFrom: {
                days: number;
                files: number;
                ledgerHours: number;
            };
            series: {
                /** @description Distinct addresses; only where they were asked for. */
                ips?: number;
                /**
                 * Format: date-time
                 * @description With the offset of the zone at that instant.
                 */
                start: string;
                /** @description Distinct visitors; only where they were asked for. */
                visitors?: number;
                visits: number;
            }[];
            /**
             * Format: date-time
             * @description Start of the range, with the offset of the zone.
             */
            startDate: string;
            /** @example Europe/Berlin */
            timeZone: string;
            /** @description Visits of the range known not to be counted, of all links. */
            uncounted: number;
        };
        /**
         * @example {
         *       "total": 12,
         *       "nonBots": 10,
         *       "bots": 2
         *     }
         */
        VisitsSummary: {
            bots: number;
            nonBots: number;
            total: number;
        };
        VisitsTotals: {
            /** @description The licence of the geography data asks for this line. */
            attribution: string;
            compared?: {
                /**
                 * Format: date-time
                 * @description First instant after the range.
                 */
                endDate: string;
                /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
                exact: boolean;
                /** @description At most 100 ranges; empty where `exact`. */
                inexact: {
                    endDate: string;
                    startDate: string;
                }[];
                /** @description When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. Empty: distinct over all of the range. */
                keyRotations: string[];
                /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
                readFrom: {
                    days: number;
                    files: number;
                    ledgerHours: number;
                };
                /**
                 * Format: date-time
                 * @description Start of the range, with the offset of the zone.
                 */
                startDate: string;
                totals: {
                    byClass: {
                        bot: number;
                        human: number;
                        "opted-out": number;
                        prefetch: number;
                        preview: number;
                    };
                    /** @description Distinct addresses; only where they were asked for. */
                    ips?: number;
                    /** @description Distinct visitors; only where they were asked for. */
                    visitors?: number;
                    visits: number;
                };
            };
            countedUpTo: string | null;
            /**
             * Format: date-time
             * @description First instant after the range.
             */
            endDate: string;
            /** @description False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left (visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time. */
            exact: boolean;
            /** @description At most 100 ranges; empty where `exact`. */
            inexact: {
                endDate: string;
                startDate: string;
            }[];
            /** @description When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. Empty: distinct over all of the range. */
            keyRotations: string[];
            /** @description Visits published and not counted yet, of all links; null when Kafka cannot be asked, and of orphan visits. */
            pending: number | null;
            /** @description How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. All 0: sums that are kept said it all. */
            readFrom: {
                days: number;
                files: number;
                ledgerHours: number;
            };
            /**
             * Format: date-time
             * @description Start of the range, with the offset of the zone.
             */
            startDate: string;
            /** @example Europe/Berlin */
            timeZone: string;
            totals: {
                byClass: {
                    bot: number;
                    human: number;
                    "opted-out": number;
                    prefetch: number;
                    preview: number;
                };
                /** @description Distinct addresses; only where they were asked for. */
                ips?: number;
                /** @description Distinct visitors; only where they were asked for. */
                visitors?: number;
                visits: number;
            };
            /** @description Visits of the range known not to be counted, of all links. */
            uncounted: number;
        };
        Webhook: {
            /**
             * Format: date-time
             * @description Whole seconds, `+00:00`.
             */
            createdAt: string;
            /** @description When the receiver last took an event. */
            deliveredAt: string | null;
            /** @example newsletter */
            description: string;
            /**
             * @description Why it is disabled; null when it is enabled, or somebody disabled it.
             * @example Nothing could be delivered for a day: the receiver answered 500.
             */
            disabledReason: string | null;
            enabled: boolean;
            events: ("link.created" | "link.edited" | "link.visits_reached" | "link.anomaly" | "host.surged")[];
            /** @description Since when nothing was taken; null when the last one was. */
            failingSince: string | null;
            /** @example 7 */
            id: string;
            lastFailure: {
                /**
                 * Format: date-time
                 * @description Whole seconds, `+00:00`.
                 */
                at: string;
                /** @example The receiver answered 500. */
                reason: string;
            } | null;
            /** @description When as many waited as can; events may be missing since. */
            overflowedAt: string | null;
            /** @example https://hooks.example.com/hopcount */
            url: string;
            /** @description With `link.visits_reached`: the numbers that are told, once each. */
            visits: number[];
            /** @description Events to be posted; at most 10,000 wait, more are not kept. */
            waiting: number;
        };
        WebhookDelivery: {
            /**
             * @description To the last attempt.
             * @example The receiver answered 500.
             */
            answer: string | null;
            attemptedAt: string | null;
            attempts: number;
            /** @description The `webhook-id` of what is posted. */
            eventId: string;
            /** @description null: it is not posted again, or not while the webhook is disabled. */
            nextAttemptAt: string | null;
            /**
             * @description `waiting`: for its first attempt, or to be posted again; `retrying`: after a failure; `given-up`: nobody took it for a day.
             * @enum {string}
             */
            state: "waiting" | "retrying" | "delivered" | "given-up";
            /**
             * @example link.created
             * @example webhook.test
             */
            type: string;
        };
        WebhookDeliveryList: {
            deliveries: {
                data: components["schemas"]["WebhookDelivery"][];
            };
        };
        WebhookList: {
            webhooks: {
                data: components["schemas"]["Webhook"][];
            };
        };
        WebhookTest: {
            /** @description The `webhook-id` of what is posted. */
            eventId: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAbuseReports: {
        parameters: {
            query?: {
                /** @description Default 100; below 1: 1000, which is the most. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AbuseReportList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dismissAbuseReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAlert: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example ada@example.com
                     */
                    readonly allowedEmail?: string | null;
                    /**
                     * @description `webhook`: signed JSON. `slack`: `url` is an incoming webhook of Slack. `email`: plain text; needs a mail server that the operator has set.
                     * @default webhook
                     * @enum {string}
                     */
                    channel?: "webhook" | "slack" | "email";
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly checkedUntil?: string;
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly createdAt?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly createdBy?: {
                        id: number;
                        /** @enum {string} */
                        kind: "user" | "api-key";
                        name: string;
                    };
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly deliveredAt?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly disabledReason?: string | null;
                    /** @description Watch the short URLs of this domain. With `shortCode`: the domain of that short URL. */
                    domain?: string | null;
                    /**
                     * @description Only for the channel `email`: the address that mail goes to. Default: the address of your account.
                     * @example ada@example.com
                     */
                    email?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly enabled?: boolean;
                    /**
                     * @description Only for `rise` and `drop`. 3 means three times the typical visits (`rise`), or a third of them (`drop`). Default: 3.
                     * @example 3
                     */
                    factor?: number | null;
                    /** @description Watch the short URLs of this group. */
                    group?: string | null;
                    /** @description Watch this host and its subdomains. Without `domain`, `tag`, `group`, `shortCode` or `host`, all short URLs are watched. */
                    host?: string | null;
                    /** @description Kind of `host`. Default: `target`. */
                    hostKind?: ("target" | "referrer" | "short" | "fed") | null;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example 7
                     */
                    readonly id?: string;
                    /** @enum {string} */
                    kind: "rise" | "drop" | "above" | "below";
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly lastFailure?: {
                        /**
                         * Format: date-time
                         * @description Whole seconds, `+00:00`.
                         */
                        at: string;
                        reason: string;
                    } | null;
                    /**
                     * @description The message begins with this name.
                     * @example Sale page is quiet
                     */
                    name: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly ongoing?: boolean;
                    /** @description Watch this short URL. */
                    shortCode?: string | null;
                    /** @description Watch the short URLs with this tag. */
                    tag?: string | null;
                    /**
                     * @description Number of visits. `above`: the condition is met by this many visits or more. `below`: by fewer (1: no visits). `rise`: windows with fewer visits are ignored. `drop`: windows with fewer typical visits are ignored.
                     * @example 50
                     */
                    threshold: number;
                    /**
                     * @description Time zone that decides what "the same time yesterday" is. Default: the reporting time zone.
                     * @example Europe/Berlin
                     */
                    timeZone?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly toldAt?: string | null;
                    /**
                     * @description Where messages are posted (http or https). Not for the channel `email`. Private addresses are refused; redirects are not followed.
                     * @example https://hooks.example.com/hopcount
                     */
                    url?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly watched?: boolean;
                    /**
                     * @description How many minutes are counted: a multiple of 15, up to 10080 (seven days).
                     * @example 60
                     */
                    windowMinutes: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewAlert"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    editAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example ada@example.com
                     */
                    readonly allowedEmail?: string | null;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @enum {string}
                     */
                    readonly channel?: "webhook" | "slack" | "email";
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly checkedUntil?: string;
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly createdAt?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly createdBy?: {
                        id: number;
                        /** @enum {string} */
                        kind: "user" | "api-key";
                        name: string;
                    };
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly deliveredAt?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly disabledReason?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly domain?: string | null;
                    /**
                     * @description Only for the channel `email`: the address that mail goes to. Default: the address of your account.
                     * @example ada@example.com
                     */
                    email?: string | null;
                    enabled?: boolean;
                    /**
                     * @description Only for `rise` and `drop`. 3 means three times the typical visits (`rise`), or a third of them (`drop`). Default: 3.
                     * @example 3
                     */
                    factor?: number | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly group?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly host?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly hostKind?: ("target" | "referrer" | "short" | "fed") | null;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example 7
                     */
                    readonly id?: string;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @enum {string}
                     */
                    readonly kind?: "rise" | "drop" | "above" | "below";
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly lastFailure?: {
                        /**
                         * Format: date-time
                         * @description Whole seconds, `+00:00`.
                         */
                        at: string;
                        reason: string;
                    } | null;
                    /**
                     * @description The message begins with this name.
                     * @example Sale page is quiet
                     */
                    name?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly ongoing?: boolean;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly shortCode?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly tag?: string | null;
                    /**
                     * @description Number of visits. `above`: the condition is met by this many visits or more. `below`: by fewer (1: no visits). `rise`: windows with fewer visits are ignored. `drop`: windows with fewer typical visits are ignored.
                     * @example 50
                     */
                    threshold?: number;
                    /**
                     * @description Time zone that decides what "the same time yesterday" is. Default: the reporting time zone.
                     * @example Europe/Berlin
                     */
                    timeZone?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly toldAt?: string | null;
                    /**
                     * @description Where messages are posted (http or https). Not for the channel `email`. Private addresses are refused; redirects are not followed.
                     * @example https://hooks.example.com/hopcount
                     */
                    url?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly watched?: boolean;
                    /**
                     * @description How many minutes are counted: a multiple of 15, up to 10080 (seven days).
                     * @example 60
                     */
                    windowMinutes?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Default, and below 1: all, at most 5,000. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description It reaches only short URLs that it created. Roles do not go together with `admin`. */
                    authoredOnly?: boolean;
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly dateCreated?: string;
                    /** @description As it is answered: counts where no `expirationDate` is given. */
                    dateExpires?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly dateLastUsed?: string | null;
                    /**
                     * @description It reaches only short URLs of this domain (`DEFAULT`: the default one), and creates all of its own there.
                     * @example go.example.com
                     */
                    domain?: string | null;
                    /**
                     * @description From then on it is refused; absent: it does not expire.
                     * @example 2030-01-01T00:00:00Z
                     */
                    expirationDate?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly id?: number;
                    /**
                     * @description 1 to 100 characters; no other key has it.
                     * @example newsletter
                     */
                    name: string;
                    /** @description It sees no orphan visits. */
                    noOrphanVisits?: boolean;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly prefix?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly previousUntil?: string | null;
                    /**
                     * @description What it may do; `admin` is everything.
                     * @example [
                     *       "links:read",
                     *       "links:write"
                     *     ]
                     */
                    scopes: ("links:read" | "links:write" | "statistics:read" | "visits:purge" | "hosts:write" | "admin")[];
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @enum {string}
                     */
                    readonly state?: "active" | "disabled" | "expired" | "revoked";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    editApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly authoredOnly?: boolean;
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly dateCreated?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly dateExpires?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly dateLastUsed?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly domain?: string | null;
                    /** @description A disabled key is refused until it is enabled again. */
                    enabled?: boolean;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly id?: number;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example newsletter
                     */
                    readonly name?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly noOrphanVisits?: boolean;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly prefix?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly previousUntil?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly scopes?: ("links:read" | "links:write" | "statistics:read" | "visits:purge" | "hosts:write" | "admin")[];
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @enum {string}
                     */
                    readonly state?: "active" | "disabled" | "expired" | "revoked";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description For so long the old secret works, too. With 0 it ends now, and so does one that was older.
                     * @default 0
                     */
                    graceSeconds?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description Changes by the key, user or operator of this name only. */
                actor?: string;
                /** @description Changes by these only. */
                actorKind?: "api-key" | "user" | "cli" | "system";
                /** @description The `id` of an entry: goes on behind it. */
                after?: string;
                /** @description Up to and including: RFC 3339, or a date. */
                endDate?: string;
                /** @description Default 100; below 1: 1000, which is the most. */
                itemsPerPage?: string;
                /** @description Changes of these only. */
                kind?: "link" | "tag" | "group" | "domain" | "api-key" | "block" | "import" | "user" | "group-role" | "provider-identity" | "abuse-report" | "invite" | "share-link" | "webhook" | "alert" | "job" | "orphan-visits" | "host-batch" | "ledger" | "operation";
                /** @description Changes of this thing only: of a link domain/code, of others the name or id. */
                object?: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description At or after: RFC 3339, or a date. */
                startDate?: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLog"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBlocks: {
        parameters: {
            query?: {
                /** @description Default 100; below 1: 1000, which is the most. */
                itemsPerPage?: string;
                /** @description Only these. */
                kind?: "host" | "pattern" | "link";
                /** @description From 1. */
                page?: string;
                /** @description Only those whose value has this text. */
                searchTerm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addBlock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `block`: nobody is sent there. `warn`: visitors see a page first that names the host; such links can be created.
                     * @default block
                     * @enum {string}
                     */
                    action?: "block" | "warn";
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example 2026-09-01T12:00:00+00:00
                     */
                    readonly createdAt?: string;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example 7
                     */
                    readonly id?: string;
                    /**
                     * @description `host`: that host and all below it. `pattern`: a text anywhere in the address of a target, `*` for any characters. `link`: one short URL.
                     * @example host
                     * @enum {string}
                     */
                    kind: "host" | "pattern" | "link";
                    /**
                     * @description For whoever reads the list; visitors do not see it. At most 500 characters.
                     * @example phishing, reported 2026-09-01
                     */
                    reason?: string;
                    /**
                     * @description A host; a pattern of at least 4 characters; a short URL, or a code of the default domain.
                     * @example evil.example
                     */
                    value: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Block"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeBlock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                blockId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeletedShortUrls: {
        parameters: {
            query?: {
                /** @description Links of this domain; `DEFAULT` is the default one. */
                domain?: string;
                /** @description Default 10; below 1: all, at most 5,000. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedShortUrlList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    purgeShortUrl: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedVisits"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restoreShortUrl: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShortUrl"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDomains: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDomainVisits: {
        parameters: {
            query?: {
                /** @description Up to and including: RFC 3339, or a date. */
                endDate?: string;
                /** @description When present, whatever its value: without bots, previews and prefetches. */
                excludeBots?: string;
                /** @description Absent or below 1: all, at most 5,000. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description At or after: RFC 3339, or a date. */
                startDate?: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
            };
            header?: never;
            path: {
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    redirectDomain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Where `/` leads.
                     * @example https://example.com/{ORIGINAL_PATH}?from={DOMAIN}
                     */
                    baseUrlRedirect?: string | null;
                    /**
                     * @description `host` or `host:port`; one that is new is filed.
                     * @example go.example.com
                     */
                    domain: string;
                    /**
                     * @description Where codes lead that no short URL has, or one that is not valid now.
                     * @example https://example.com/{ORIGINAL_PATH}?from={DOMAIN}
                     */
                    invalidShortUrlRedirect?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly isDefault?: boolean;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly redirects?: components["schemas"]["NotFoundRedirects"];
                    /**
                     * @description Where addresses lead that can be no short URL.
                     * @example https://example.com/{ORIGINAL_PATH}?from={DOMAIN}
                     */
                    regular404Redirect?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotFoundRedirects"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportAuditLog: {
        parameters: {
            query?: {
                /** @description Changes by the key, user or operator of this name only. */
                actor?: string;
                /** @description Changes by these only. */
                actorKind?: "api-key" | "user" | "cli" | "system";
                /** @description The `id` of an entry: goes on behind it. */
                after?: string;
                /** @description CSV begins with a byte order mark, so that spreadsheets read it as UTF-8; `false` leaves it out. Ignored for other formats. */
                bom?: "true" | "false";
                /** @description Up to and including: RFC 3339, or a date. */
                endDate?: string;
                format?: "csv" | "jsonl";
                /** @description Changes of these only. */
                kind?: "link" | "tag" | "group" | "domain" | "api-key" | "block" | "import" | "user" | "group-role" | "provider-identity" | "abuse-report" | "invite" | "share-link" | "webhook" | "alert" | "job" | "orphan-visits" | "host-batch" | "ledger" | "operation";
                /** @description Changes of this thing only: of a link domain/code, of others the name or id. */
                object?: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description At or after: RFC 3339, or a date. */
                startDate?: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["AuditExport"];
                    "text/csv": components["schemas"]["AuditExport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportShortUrls: {
        parameters: {
            query?: {
                /** @description CSV begins with a byte order mark, so that spreadsheets read it as UTF-8; `false` leaves it out. Ignored for other formats. */
                bom?: "true" | "false";
                format?: "csv" | "jsonl";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["LinkExport"];
                    "text/csv": components["schemas"]["LinkExport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportVisits: {
        parameters: {
            query?: {
                /** @description The `eventId` of the last visit that came: goes on behind it. */
                after?: string;
                /** @description CSV begins with a byte order mark, so that spreadsheets read it as UTF-8; `false` leaves it out. Ignored for other formats. */
                bom?: "true" | "false";
                /** @description The one `shortCode` is on; absent: the default one. */
                domain?: string;
                /** @description Up to and including: RFC 3339, or a date. */
                endDate?: string;
                /** @description When present, whatever its value: without bots, previews and prefetches. */
                excludeBots?: string;
                /** @description A Parquet file is sent once it is whole; it has 10,000,000 visits at most. */
                format?: "csv" | "jsonl" | "parquet";
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description Of this short URL; absent: of all of them. */
                shortCode?: string;
                /** @description At or after: RFC 3339, or a date. */
                startDate?: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.parquet": string;
                    "application/x-ndjson": components["schemas"]["VisitExport"];
                    "text/csv": components["schemas"]["VisitExport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listGroups: {
        parameters: {
            query?: {
                /** @description Default, and below 1: all, at most 500. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createGroup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly deletedShortUrlsCount?: number;
                    /**
                     * @description At most 64 characters; never changes.
                     * @example marketing
                     */
                    groupId: string;
                    /**
                     * @description The id, unless given.
                     * @example Marketing
                     */
                    name?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly shortUrlsCount?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteGroup: {
        parameters: {
            query?: {
                /** @description The group that gets its short URLs; without one it must be empty. */
                moveTo?: string;
            };
            header?: never;
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    renameGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly deletedShortUrlsCount?: number;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example marketing
                     */
                    readonly groupId?: string;
                    /**
                     * @description At most 256 characters.
                     * @example Marketing
                     */
                    name: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly shortUrlsCount?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    orderGroups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description These come first, in this order; the others stay as they are.
                     * @example [
                     *       "marketing"
                     *     ]
                     */
                    groupIds: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/health+json": components["schemas"]["Health"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listHosts: {
        parameters: {
            query?: {
                /** @description `next` of the page before. */
                after?: string;
                /**
                 * @description A name; default: the top-level domains.
                 * @example example.com
                 */
                below?: string;
                /** @description `site`: public suffix and one label (`example.co.uk`, `ann.github.io`) instead of what is one label below; the first page alone, by visits of all time. */
                by?: "label" | "site";
                /** @description Default 50; at most 500. */
                itemsPerPage?: string;
                /** @description `visits`: of all time; `window`: of the last five minutes, and only hosts that have any; `excess`: those of the last five minutes beyond the usual ones, of the 1,000 names with the most. */
                orderBy?: "visits" | "window" | "excess";
            };
            header?: never;
            path: {
                kind: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHostVisits: {
        parameters: {
            query?: {
                /**
                 * @description First instant after the range; a date includes its day. Default: the end of the current interval.
                 * @example 2026-11-30
                 */
                endDate?: string;
                interval?: "15min" | "hour" | "day" | "week" | "month" | "quarter" | "year";
                /** @description `allTime`: all visits ever counted, without a series (`startDate` is 1970, `totals` those of this data centre); answered from memory, a second or so behind (`asOf`). Of a range nothing is said then. */
                period?: "range" | "allTime";
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description `self`: the name alone; `below`: `*.name`, at any depth; `children`: one label below; `subtree`: the name and all below it. */
                scope?: "self" | "below" | "children" | "subtree";
                /**
                 * @description First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end.
                 * @example 2026-11-01
                 */
                startDate?: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
            };
            header?: never;
            path: {
                host: string;
                kind: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostVisits"];
                    "text/plain": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHostSeries: {
        parameters: {
            query?: {
                /**
                 * @description First instant after the range; a date includes its day. Default: the end of the current interval.
                 * @example 2026-11-30
                 */
                endDate?: string;
                interval?: "15min" | "hour" | "day" | "week" | "month" | "quarter" | "year";
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description `self`: the name alone; `below`: `*.name`, at any depth; `children`: one label below; `subtree`: the name and all below it. */
                scope?: "self" | "below" | "children" | "subtree";
                /**
                 * @description First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end.
                 * @example 2026-11-01
                 */
                startDate?: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
                /**
                 * @description A sliding window instead of range, startDate and endDate: so many minutes, 1 to 525600, up to the moment of the request. `fed` counts have none.
                 * @example 5
                 */
                windowMinutes?: string;
            };
            header?: never;
            path: {
                host: string;
                kind: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostSeries"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compareHosts: {
        parameters: {
            query: {
                /**
                 * @description First instant after the range; a date includes its day. Default: the end of the current interval.
                 * @example 2026-11-30
                 */
                endDate?: string;
                interval?: "15min" | "hour" | "day" | "week" | "month" | "quarter" | "year";
                /**
                 * @description Up to 10, with commas between them.
                 * @example example.com,example.org
                 */
                names: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description `self`: the name alone; `below`: `*.name`, at any depth; `children`: one label below; `subtree`: the name and all below it. */
                scope?: "self" | "below" | "children" | "subtree";
                /**
                 * @description First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end.
                 * @example 2026-11-01
                 */
                startDate?: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
            };
            header?: never;
            path: {
                kind: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostComparison"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listHostAlerts: {
        parameters: {
            query?: {
                /** @description `next` of the page before. */
                after?: string;
                /** @description Default 50; at most 500. */
                itemsPerPage?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostAlertList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followHostAlerts: {
        parameters: {
            query?: {
                /** @description As the header `Last-Event-ID`, for those who can set none. */
                lastEventId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LiveEvents"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    feedHosts: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 printable ASCII characters. Within 35 days the same request with the same key and API key has its effect once; another one with it is 422. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @example [
                     *       {
                     *         "host": "discuss.leetcode.com",
                     *         "visits": 9001
                     *       }
                     *     ]
                     */
                    counts: {
                        /** @description Or a web address, whose host counts. */
                        host: string;
                        visits: number;
                    }[];
                };
                "text/plain": string;
            };
        };
        responses: {
            /** @description Taken; it is done soon. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostBatch"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHostBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostBatch"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reverseHostBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostBatch"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reportHosts: {
        parameters: {
            query: {
                /** @description CSV begins with a byte order mark, so that spreadsheets read it as UTF-8; `false` leaves it out. Ignored for other formats. */
                bom?: "true" | "false";
                /** @description Default: all. */
                kind?: "target" | "referrer" | "short" | "fed";
                /**
                 * @description Of the zone.
                 * @example 2026-11
                 */
                month: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["HostReport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importShortUrls: {
        parameters: {
            query: {
                /** @description Where links go that name no domain; absent: the default one. */
                domain?: string;
                /** @description Which installation it is of: links of one name are imported once. Absent: as the source. */
                name?: string;
                /**
                 * @description `csv`: with a column `longUrl` (of visits: `date` and `shortCode`); `hopcount`: our own exports as JSON Lines.
                 * @example csv
                 */
                source: "csv" | "hopcount" | "shlink" | "kutt" | "yourls" | "bitly";
                /** @description Existing links get the title, note and tags of their row. Their destination URL never changes. */
                update?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gzip": string;
                "application/octet-stream": string;
                "application/x-gzip": string;
                "application/x-ndjson": string;
                "text/csv": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getImportReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["ImportReport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    planJob: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    kind: "rebuild";
                    /** @description Maximum rate per second, in links (`rebuild`), dead letters (`redrive`) or records (`replay`). Default: no limit. */
                    ratePerSecond?: number;
                } | {
                    /** @constant */
                    kind: "verify";
                } | {
                    /** @constant */
                    kind: "redrive";
                    /** @description Maximum rate per second, in links (`rebuild`), dead letters (`redrive`) or records (`replay`). Default: no limit. */
                    ratePerSecond?: number;
                    /**
                     * @description Redrive only the dead letters that were rejected for this reason. Default: all.
                     * @enum {string}
                     */
                    reason?: "empty-value" | "not-json" | "unsupported-version" | "schema-mismatch" | "older-than-ledger" | "from-the-future" | "unstorable" | "kills-consumer";
                } | {
                    /** @constant */
                    kind: "seal";
                } | {
                    /** @constant */
                    kind: "replay";
                    /** @description How many hours back from now to read the visits topic. */
                    lastHours: number;
                    /** @description Maximum rate per second, in links (`rebuild`), dead letters (`redrive`) or records (`replay`). Default: no limit. */
                    ratePerSecond?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followVisits: {
        parameters: {
            query: {
                /** @description The token, unless it is sent as `Authorization: Bearer`. */
                authorization?: string;
                /** @description As the header `Last-Event-ID`. */
                lastEventId?: string;
                /** @description The same, as Mercure writes it. */
                lastEventID?: string;
                /** @description `https://shlink.io/new-visit`, `https://shlink.io/new-visit/{shortCode}` or `https://shlink.io/new-orphan-visit`; several times for several. */
                topic: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LiveEvents"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mercureInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MercureInfo"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the second factor, or a recovery code. */
                    code?: string;
                    /** @example ada@example.com */
                    email: string;
                    /** @example correct horse battery staple */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: {
                /** @description `true`: all sessions of the user end. */
                everywhere?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    beginProviderSignIn: {
        parameters: {
            query?: {
                /** @description Path of this server to go to when signed in; the page of this API unless given. */
                returnTo?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser goes to the address in Location. */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endProviderSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser goes to the address in Location. */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description 12 to 256 characters. */
                    newPassword: string;
                    /** @description The one until now. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    beginSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactor"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    confirmSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Of the app, or a recovery code.
                     * @example 123456
                     */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Of the app, or a recovery code.
                     * @example 123456
                     */
                    code?: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listShareLinks: {
        parameters: {
            query?: {
                /** @description Default and most: 100. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareLinkList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createShareLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly createdBy?: {
                        id: number;
                        name: string;
                    };
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly dateCreated?: string;
                    /**
                     * Format: date-time
                     * @description As it is answered: counts where no `expirationDate` is given.
                     */
                    dateExpires?: string;
                    /** @description As statistics take it: visits of the short URLs of a domain. */
                    domain?: string | null;
                    /**
                     * Format: date-time
                     * @description When it ends: within a year. Needed, unless `dateExpires` is given.
                     * @example 2026-12-31T23:59:59Z
                     */
                    expirationDate?: string;
                    /**
                     * @description Only visits with these values, as statistics take them.
                     * @example [
                     *       "country=DE"
                     *     ]
                     */
                    filters?: string[];
                    /** @description Of a group; with none of the others. */
                    group?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly id?: number;
                    /**
                     * @description For the list of them; whoever has the link does not see it.
                     * @example Agency, spring
                     */
                    name: string;
                    /** @description Of one short URL. */
                    shortCode?: string | null;
                    /** @description Of those that have the tag. */
                    tag?: string | null;
                    /** @description As it is answered: counts where none of its fields is given beside it. */
                    view?: {
                        /** @description As statistics take it: visits of the short URLs of a domain. */
                        domain?: string | null;
                        /**
                         * @description Only visits with these values, as statistics take them.
                         * @example [
                         *       "country=DE"
                         *     ]
                         */
                        filters?: string[];
                        /** @description Of a group; with none of the others. */
                        group?: string | null;
                        /** @description Of one short URL. */
                        shortCode?: string | null;
                        /** @description Of those that have the tag. */
                        tag?: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewShareLink"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeShareLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listShortUrls: {
        parameters: {
            query?: {
                /** @description Created with the API key of that name. */
                apiKeyName?: string;
                /** @description Links of this domain; `DEFAULT` is the default one. */
                domain?: string;
                /** @description Created up to and including: RFC 3339, or a date. */
                endDate?: string;
                /** @description Without links that had as many visits as they may have. */
                excludeMaxVisitsReached?: "true" | "false";
                /** @description Without links that have ended. */
                excludePastValidUntil?: "true" | "false";
                /** @description Links without these tags; written `excludeTags[]=a&excludeTags[]=b`. */
                "excludeTags[]"?: string[];
                /** @description Without links that have one of those tags, or all of them. */
                excludeTagsMode?: "any" | "all";
                /**
                 * @description Of the group with this id.
                 * @example team-a
                 */
                group?: string;
                /** @description Default 10; below 1: all, at most 5,000. */
                itemsPerPage?: string;
                /**
                 * @description `field-ASC` or `field-DESC`; field: dateCreated, shortCode, longUrl, title, visits, nonBotVisits.
                 * @example visits-DESC
                 */
                orderBy?: string;
                /** @description From 1. */
                page?: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description Part of the long URL, code, title, domain or a tag. One or two characters: of the order's first links. */
                searchTerm?: string;
                /** @description Created at or after: RFC 3339, or a date. */
                startDate?: string;
                /** @description Whether visitors get on, and the first reason why not: `disabled`, `not-yet-valid`, `expired` (validUntil), `limit-reached` (maxVisits). Those in the recycle bin are in a list of their own. */
                state?: "active" | "disabled" | "not-yet-valid" | "expired" | "limit-reached";
                /** @description Links with these tags; written `tags[]=a&tags[]=b`. */
                "tags[]"?: string[];
                /** @description One of the tags is enough, or all are needed. */
                tagsMode?: "any" | "all";
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShortUrlList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createShortUrl: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters. Within 24 hours the same request with the same key and API key is answered as the first time and creates nothing again; another request with it is 422. A request that failed leaves no key. (Above a million links created with keys in 24 hours the oldest keys go earlier.) */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether robots.txt allows search engines to follow it. */
                    crawlable?: boolean;
                    /**
                     * @description The code to use. Spaces and `/` become `-`.
                     * @example my-slug
                     */
                    customSlug?: string | null;
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly dateCreated?: string;
                    /**
                     * @deprecated
                     * @description Of Shlink 3.5 to 3.7: null for each device. Redirect rules do it now.
                     */
                    deviceLongUrls?: {
                        android?: null;
                        desktop?: null;
                        ios?: null;
                    } | null;
                    /** @description Visitors get 404 as long as it is true. */
                    disabled?: boolean;
                    /**
                     * @description Domain of the link; absent: the default one.
                     * @example sho.rt
                     */
                    domain?: string | null;
                    /**
                     * @description Where visitors go after `validUntil` or `maxVisits`; their visits count, but use up nothing.
                     * @example https://example.com/over
                     */
                    expiredUrl?: string | null;
                    /** @description What visitors of `/code/more` get: the target with `/more`, the target as it is, or (null) 404. */
                    extraPath?: ("append" | "ignore") | null;
                    /** @description Answer the oldest short URL to the same long URL that has everything else that is given here (all of the tags and no other), if there is one. `title`, `note` and `shortCodeLength` are of a new one only. Links with a password are never found, and none can be asked for. */
                    findIfExists?: boolean | null;
                    /** @description Whether parameters visitors come with are added to those of the target, which they cannot replace. Default true. */
                    forwardQuery?: boolean;
                    /**
                     * @description Group of the link; created when new.
                     * @example marketing
                     */
                    groupId?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly hasPassword?: boolean;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly hasRedirectRules?: boolean;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example 249856225617469440
                     */
                    readonly id?: string;
                    /**
                     * @description Where the link leads: an absolute http or https URL.
                     * @example https://example.com/a?b=c
                     */
                    longUrl: string;
                    /**
                     * @description So many visits, and no more, on all gateways together; then 404, or `expiredUrl`. Visits so far count; those of bots, too. Not with a `redirectStatus` of 301 or 308. null: no such limit.
                     * @example 100
                     */
                    maxVisits?: number | null;
                    /** @description As it is answered: limits of the new short URL, each unless it is given beside `meta`. */
                    meta?: {
                        /**
                         * @description So many visits, and no more, on all gateways together; then 404, or `expiredUrl`. Visits so far count; those of bots, too. Not with a `redirectStatus` of 301 or 308. null: no such limit.
                         * @example 100
                         */
                        maxVisits?: number | null;
                        /**
                         * @description Visitors before it get 404. Whole seconds; null: no such limit.
                         * @example 2026-12-01T00:00:00+00:00
                         */
                        validSince?: string | null;
                        /**
                         * @description Visitors after it get 404, or go to `expiredUrl`. Whole seconds; null: no such limit.
                         * @example 2026-12-31T23:59:59+00:00
                         */
                        validUntil?: string | null;
                    };
                    /** @description For those who manage links; at most 4,096 characters. */
                    note?: string | null;
                    /**
                     * Format: password
                     * @description Visitors are asked for it before they are sent on: 8 to 128 characters. A change ends what it opened. null: no password. Answers say `hasPassword` only, and nobody can read it again.
                     */
                    password?: string | null;
                    /**
                     * @description What the code begins with, before `customSlug` or a generated one. Spaces and `/` become `-`.
                     * @example spring-
                     */
                    pathPrefix?: string | null;
                    /** @description Default (and null) 302. Browsers keep 301 and 308 for 30 s, in which repeated visits are not seen, unless `validUntil` is set. */
                    redirectStatus?: (301 | 302 | 307 | 308) | null;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example 7xKqPzR
                     */
                    readonly shortCode?: string;
                    /**
                     * @description Of the generated code, which is random then; not counted: `pathPrefix`. Longer when codes of that length are used up. Of no meaning beside `customSlug`.
                     * @example 5
                     */
                    shortCodeLength?: number | null;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example http://localhost:8080/7xKqPzR
                     */
                    readonly shortUrl?: string;
                    /**
                     * @description Lower-cased; spaces become `-`.
                     * @example [
                     *       "docs",
                     *       "spring sale"
                     *     ]
                     */
                    tags?: string[] | null;
                    /**
                     * @description Cut at 512 characters.
                     * @example Example
                     */
                    title?: string | null;
                    /**
                     * @deprecated
                     * @description Ignored, as by Shlink since 4.0.
                     */
                    validateUrl?: boolean;
                    /**
                     * @description Visitors before it get 404. Whole seconds; null: no such limit.
                     * @example 2026-12-01T00:00:00+00:00
                     */
                    validSince?: string | null;
                    /**
                     * @description Visitors after it get 404, or go to `expiredUrl`. Whole seconds; null: no such limit.
                     * @example 2026-12-31T23:59:59+00:00
                     */
                    validUntil?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly visitsSummary?: components["schemas"]["VisitsSummary"];
                    /** @description Visitors see a page that names the host they are sent to, and go on by a button; only then is it a visit. */
                    warn?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShortUrl"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getShortUrl: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShortUrl"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteShortUrl: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: {
                /** @description ETag of the short URL as it was read; when it was changed meanwhile, the answer is 409. */
                "If-Match"?: string;
            };
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    editShortUrl: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: {
                /** @description ETag of the short URL as it was read; when it was changed meanwhile, the answer is 409. */
                "If-Match"?: string;
            };
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Whether robots.txt allows search engines to follow it. */
                    crawlable?: boolean;
                    /** @description Of the creation: the code that the short URL has, or nothing. */
                    customSlug?: string | null;
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly dateCreated?: string;
                    /**
                     * @deprecated
                     * @description Of Shlink 3.5 to 3.7: null for each device. Redirect rules do it now.
                     */
                    deviceLongUrls?: {
                        android?: null;
                        desktop?: null;
                        ios?: null;
                    } | null;
                    /** @description Visitors get 404 as long as it is true. */
                    disabled?: boolean;
                    /** @description Of the creation: the domain that the short URL has, or nothing. */
                    domain?: string | null;
                    /**
                     * @description Where visitors go after `validUntil` or `maxVisits`; their visits count, but use up nothing.
                     * @example https://example.com/over
                     */
                    expiredUrl?: string | null;
                    /** @description What visitors of `/code/more` get: the target with `/more`, the target as it is, or (null) 404. */
                    extraPath?: ("append" | "ignore") | null;
                    /** @description Of the creation: ignored, since nothing is created. */
                    findIfExists?: boolean | null;
                    /** @description Whether parameters visitors come with are added to those of the target, which they cannot replace. Default true. */
                    forwardQuery?: boolean;
                    /**
                     * @description Moves the link to that group, which must exist; null takes it out of its group. Visits already counted keep the group of their time.
                     * @example marketing
                     */
                    groupId?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly hasPassword?: boolean;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly hasRedirectRules?: boolean;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example 249856225617469440
                     */
                    readonly id?: string;
                    /**
                     * @description Where the link leads from now on.
                     * @example https://example.com/new
                     */
                    longUrl?: string;
                    /**
                     * @description So many visits, and no more, on all gateways together; then 404, or `expiredUrl`. Visits so far count; those of bots, too. Not with a `redirectStatus` of 301 or 308. null: no such limit.
                     * @example 100
                     */
                    maxVisits?: number | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly meta?: {
                        maxVisits: number | null;
                        validSince: string | null;
                        validUntil: string | null;
                    };
                    /** @description At most 4,096 characters; null clears it. */
                    note?: string | null;
                    /**
                     * Format: password
                     * @description Visitors are asked for it before they are sent on: 8 to 128 characters. A change ends what it opened. null: no password. Answers say `hasPassword` only, and nobody can read it again.
                     */
                    password?: string | null;
                    /** @description Of the creation: what the code begins with, or nothing. */
                    pathPrefix?: string | null;
                    /** @description Default (and null) 302. Browsers keep 301 and 308 for 30 s, in which repeated visits are not seen, unless `validUntil` is set. */
                    redirectStatus?: (301 | 302 | 307 | 308) | null;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example 7xKqPzR
                     */
                    readonly shortCode?: string;
                    /** @description Of the creation: the length of the code. Ignored beside `customSlug`. */
                    shortCodeLength?: number | null;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example http://localhost:8080/7xKqPzR
                     */
                    readonly shortUrl?: string;
                    /**
                     * @description Replace all tags of the link.
                     * @example [
                     *       "docs"
                     *     ]
                     */
                    tags?: string[] | null;
                    /**
                     * @description Cut at 512 characters; null clears it.
                     * @example New title
                     */
                    title?: string | null;
                    /**
                     * @deprecated
                     * @description Ignored, as by Shlink since 4.0.
                     */
                    validateUrl?: boolean;
                    /**
                     * @description Visitors before it get 404. Whole seconds; null: no such limit.
                     * @example 2026-12-01T00:00:00+00:00
                     */
                    validSince?: string | null;
                    /**
                     * @description Visitors after it get 404, or go to `expiredUrl`. Whole seconds; null: no such limit.
                     * @example 2026-12-31T23:59:59+00:00
                     */
                    validUntil?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly visitsSummary?: components["schemas"]["VisitsSummary"];
                    /** @description Visitors see a page that names the host they are sent to, and go on by a button; only then is it a visit. */
                    warn?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShortUrl"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getQrCode: {
        parameters: {
            query?: {
                /**
                 * @description Behind them, the margin included.
                 * @example ffffff
                 */
                bgColor?: string;
                /**
                 * @description Of the modules, `abc` or `aabbcc`.
                 * @example 1a2b3c
                 */
                color?: string;
                domain?: string;
                /**
                 * @description L, M, Q or H: 7, 15, 25 or 30 % may be covered. With a logo it is H.
                 * @example M
                 */
                errorCorrection?: string;
                format?: "png" | "svg";
                /**
                 * @description In pixels, on each side, at most 200; absent: four modules.
                 * @example 20
                 */
                margin?: string;
                /**
                 * @description Side of the code in pixels without its margin, 50 to 1000.
                 * @example 300
                 */
                size?: string;
            };
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": components["schemas"]["QrCode"];
                    "image/svg+xml": components["schemas"]["QrCode"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getQrCodeWithLogo: {
        parameters: {
            query?: {
                /**
                 * @description Behind them, the margin included.
                 * @example ffffff
                 */
                bgColor?: string;
                /**
                 * @description Of the modules, `abc` or `aabbcc`.
                 * @example 1a2b3c
                 */
                color?: string;
                domain?: string;
                /**
                 * @description L, M, Q or H: 7, 15, 25 or 30 % may be covered. With a logo it is H.
                 * @example M
                 */
                errorCorrection?: string;
                format?: "png" | "svg";
                /**
                 * @description In pixels, on each side, at most 200; absent: four modules.
                 * @example 20
                 */
                margin?: string;
                /**
                 * @description Side of the code in pixels without its margin, 50 to 1000.
                 * @example 300
                 */
                size?: string;
            };
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A PNG of at most 128 KiB and 512 × 512 pixels, not interlaced, as a data URL. */
                    logo: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": components["schemas"]["QrCode"];
                    "image/svg+xml": components["schemas"]["QrCode"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRedirectRules: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedirectRules"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setRedirectRules: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: {
                /** @description ETag of the short URL as it was read; when it was changed meanwhile, the answer is 409. */
                "If-Match"?: string;
            };
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly defaultLongUrl?: string;
                    /** @description Replaces all rules. Gateways check them in this order and use the first one whose conditions all match. */
                    redirectRules: {
                        conditions: {
                            /**
                             * @description Name of the parameter, of the three conditions about one.
                             * @default null
                             */
                            matchKey?: string | null;
                            /**
                             * @default null
                             * @example android
                             */
                            matchValue?: string | null;
                            /** @enum {string} */
                            type: "device" | "browser" | "language" | "query-param" | "any-value-query-param" | "valueless-query-param" | "ip-address" | "geolocation-country-code" | "geolocation-city-name" | "before-date" | "after-date";
                        }[];
                        /**
                         * @description As the long URL of a short URL.
                         * @example https://example.com/android
                         */
                        longUrl: string;
                        /** @description Ignored, as by Shlink. The position in the list is the priority, and the response numbers the rules again. */
                        priority?: number;
                    }[];
                    /** @description Replaces the targets of the split, which gets the visitors that match no rule. A visitor always gets the same target. Absent: unchanged; empty: no split. */
                    split?: {
                        /**
                         * @description As the long URL of a short URL.
                         * @example https://example.com/android
                         */
                        longUrl: string;
                        weight: number;
                    }[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedirectRules"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchRedirectRules: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: {
                /** @description ETag of the short URL as it was read; when it was changed meanwhile, the answer is 409. */
                "If-Match"?: string;
            };
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly defaultLongUrl?: string;
                    /** @description Replaces all rules. Gateways check them in this order and use the first one whose conditions all match. */
                    redirectRules: {
                        conditions: {
                            /**
                             * @description Name of the parameter, of the three conditions about one.
                             * @default null
                             */
                            matchKey?: string | null;
                            /**
                             * @default null
                             * @example android
                             */
                            matchValue?: string | null;
                            /** @enum {string} */
                            type: "device" | "browser" | "language" | "query-param" | "any-value-query-param" | "valueless-query-param" | "ip-address" | "geolocation-country-code" | "geolocation-city-name" | "before-date" | "after-date";
                        }[];
                        /**
                         * @description As the long URL of a short URL.
                         * @example https://example.com/android
                         */
                        longUrl: string;
                        /** @description Ignored, as by Shlink. The position in the list is the priority, and the response numbers the rules again. */
                        priority?: number;
                    }[];
                    /** @description Replaces the targets of the split, which gets the visitors that match no rule. A visitor always gets the same target. Absent: unchanged; empty: no split. */
                    split?: {
                        /**
                         * @description As the long URL of a short URL.
                         * @example https://example.com/android
                         */
                        longUrl: string;
                        weight: number;
                    }[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedirectRules"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tryRedirectRules: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @default
                     * @example de-CH,de;q=0.9
                     */
                    acceptLanguage?: string;
                    /**
                     * @description Its place is not looked up: give `country` and `city`.
                     * @default null
                     * @example 192.0.2.7
                     */
                    address?: (string) | null;
                    /**
                     * @default
                     * @example Berlin
                     */
                    city?: string;
                    /**
                     * @default
                     * @example DE
                     */
                    country?: string;
                    /**
                     * @description null: now.
                     * @default null
                     */
                    date?: string | null;
                    /**
                     * @description Of the short URL as it is asked for, without `?`.
                     * @default
                     * @example utm_source=mail
                     */
                    query?: string;
                    /**
                     * @description As the browser says it.
                     * @default
                     * @example Mozilla/5.0 (iPhone; …)
                     */
                    userAgent?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriedRules"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLinkStatistics: {
        parameters: {
            query?: {
                domain?: string;
                /** @description First instant after the range; a date includes its day. Default: the end of the current interval. */
                endDate?: string;
                /**
                 * @description 15min, hour, day, week, month, quarter, year; default day. Weeks start on Monday.
                 * @example day
                 */
                interval?: string;
                /** @description `allTime`: all visits of the short URL, on whole days from that of the first one, however long ago. Leave out range, startDate and endDate then. */
                period?: "range" | "allTime";
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end. */
                startDate?: string;
                /** @description IANA name; default: the reporting zone. */
                timeZone?: string;
            };
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkStatistics"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listVisits: {
        parameters: {
            query?: {
                domain?: string;
                /** @description Up to and including: RFC 3339, or a date. */
                endDate?: string;
                /** @description When present, whatever its value: without bots, previews and prefetches. */
                excludeBots?: string;
                /** @description Absent or below 1: all, at most 5,000. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description At or after: RFC 3339, or a date. */
                startDate?: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
            };
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteVisits: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedVisits"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createShortUrls: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters. Within 24 hours the same request with the same key and API key is answered as the first time and creates nothing again; another request with it is 422. A request that failed leaves no key. (Above a million links created with keys in 24 hours the oldest keys go earlier.) */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    shortUrls: {
                        /** @description Whether robots.txt allows search engines to follow it. */
                        crawlable?: boolean;
                        /**
                         * @description The code to use. Spaces and `/` become `-`.
                         * @example my-slug
                         */
                        customSlug?: string | null;
                        /**
                         * Format: date-time
                         * @description Read-only: may be sent back as it was answered.
                         */
                        readonly dateCreated?: string;
                        /**
                         * @deprecated
                         * @description Of Shlink 3.5 to 3.7: null for each device. Redirect rules do it now.
                         */
                        deviceLongUrls?: {
                            android?: null;
                            desktop?: null;
                            ios?: null;
                        } | null;
                        /** @description Visitors get 404 as long as it is true. */
                        disabled?: boolean;
                        /**
                         * @description Domain of the link; absent: the default one.
                         * @example sho.rt
                         */
                        domain?: string | null;
                        /**
                         * @description Where visitors go after `validUntil` or `maxVisits`; their visits count, but use up nothing.
                         * @example https://example.com/over
                         */
                        expiredUrl?: string | null;
                        /** @description What visitors of `/code/more` get: the target with `/more`, the target as it is, or (null) 404. */
                        extraPath?: ("append" | "ignore") | null;
                        /** @description Answer the oldest short URL to the same long URL that has everything else that is given here (all of the tags and no other), if there is one. `title`, `note` and `shortCodeLength` are of a new one only. Links with a password are never found, and none can be asked for. */
                        findIfExists?: boolean | null;
                        /** @description Whether parameters visitors come with are added to those of the target, which they cannot replace. Default true. */
                        forwardQuery?: boolean;
                        /**
                         * @description Group of the link; created when new.
                         * @example marketing
                         */
                        groupId?: string | null;
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly hasPassword?: boolean;
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly hasRedirectRules?: boolean;
                        /**
                         * @description Read-only: may be sent back as it was answered.
                         * @example 249856225617469440
                         */
                        readonly id?: string;
                        /**
                         * @description Where the link leads: an absolute http or https URL.
                         * @example https://example.com/a?b=c
                         */
                        longUrl: string;
                        /**
                         * @description So many visits, and no more, on all gateways together; then 404, or `expiredUrl`. Visits so far count; those of bots, too. Not with a `redirectStatus` of 301 or 308. null: no such limit.
                         * @example 100
                         */
                        maxVisits?: number | null;
                        /** @description As it is answered: limits of the new short URL, each unless it is given beside `meta`. */
                        meta?: {
                            /**
                             * @description So many visits, and no more, on all gateways together; then 404, or `expiredUrl`. Visits so far count; those of bots, too. Not with a `redirectStatus` of 301 or 308. null: no such limit.
                             * @example 100
                             */
                            maxVisits?: number | null;
                            /**
                             * @description Visitors before it get 404. Whole seconds; null: no such limit.
                             * @example 2026-12-01T00:00:00+00:00
                             */
                            validSince?: string | null;
                            /**
                             * @description Visitors after it get 404, or go to `expiredUrl`. Whole seconds; null: no such limit.
                             * @example 2026-12-31T23:59:59+00:00
                             */
                            validUntil?: string | null;
                        };
                        /** @description For those who manage links; at most 4,096 characters. */
                        note?: string | null;
                        /**
                         * Format: password
                         * @description Visitors are asked for it before they are sent on: 8 to 128 characters. A change ends what it opened. null: no password. Answers say `hasPassword` only, and nobody can read it again.
                         */
                        password?: string | null;
                        /**
                         * @description What the code begins with, before `customSlug` or a generated one. Spaces and `/` become `-`.
                         * @example spring-
                         */
                        pathPrefix?: string | null;
                        /** @description Default (and null) 302. Browsers keep 301 and 308 for 30 s, in which repeated visits are not seen, unless `validUntil` is set. */
                        redirectStatus?: (301 | 302 | 307 | 308) | null;
                        /**
                         * @description Read-only: may be sent back as it was answered.
                         * @example 7xKqPzR
                         */
                        readonly shortCode?: string;
                        /**
                         * @description Of the generated code, which is random then; not counted: `pathPrefix`. Longer when codes of that length are used up. Of no meaning beside `customSlug`.
                         * @example 5
                         */
                        shortCodeLength?: number | null;
                        /**
                         * @description Read-only: may be sent back as it was answered.
                         * @example http://localhost:8080/7xKqPzR
                         */
                        readonly shortUrl?: string;
                        /**
                         * @description Lower-cased; spaces become `-`.
                         * @example [
                         *       "docs",
                         *       "spring sale"
                         *     ]
                         */
                        tags?: string[] | null;
                        /**
                         * @description Cut at 512 characters.
                         * @example Example
                         */
                        title?: string | null;
                        /**
                         * @deprecated
                         * @description Ignored, as by Shlink since 4.0.
                         */
                        validateUrl?: boolean;
                        /**
                         * @description Visitors before it get 404. Whole seconds; null: no such limit.
                         * @example 2026-12-01T00:00:00+00:00
                         */
                        validSince?: string | null;
                        /**
                         * @description Visitors after it get 404, or go to `expiredUrl`. Whole seconds; null: no such limit.
                         * @example 2026-12-31T23:59:59+00:00
                         */
                        validUntil?: string | null;
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly visitsSummary?: components["schemas"]["VisitsSummary"];
                        /** @description Visitors see a page that names the host they are sent to, and go on by a button; only then is it a visit. */
                        warn?: boolean;
                        $defs: {
                            /**
                             * @example {
                             *       "total": 12,
                             *       "nonBots": 10,
                             *       "bots": 2
                             *     }
                             */
                            VisitsSummary: {
                                bots: number;
                                nonBots: number;
                                total: number;
                            };
                        };
                    }[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShortUrlBatch"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    moveShortUrls: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description null: out of their groups.
                     * @example marketing
                     */
                    groupId: string | null;
                    /**
                     * @description At most 1,000; without a domain they are on the default one.
                     * @example [
                     *       {
                     *         "shortCode": "my-slug"
                     *       }
                     *     ]
                     */
                    shortUrls: {
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly crawlable?: boolean;
                        /**
                         * Format: date-time
                         * @description Read-only: may be sent back as it was answered.
                         */
                        readonly dateCreated?: string;
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly disabled?: boolean;
                        domain?: string | null;
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly expiredUrl?: string | null;
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly extraPath?: ("append" | "ignore") | null;
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly forwardQuery?: boolean;
                        /**
                         * @description Read-only: may be sent back as it was answered.
                         * @example marketing
                         */
                        readonly groupId?: string | null;
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly hasPassword?: boolean;
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly hasRedirectRules?: boolean;
                        /**
                         * @description Read-only: may be sent back as it was answered.
                         * @example 249856225617469440
                         */
                        readonly id?: string;
                        /**
                         * @description Read-only: may be sent back as it was answered.
                         * @example https://example.com/a?b=c
                         */
                        readonly longUrl?: string;
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly meta?: {
                            maxVisits: number | null;
                            validSince: string | null;
                            validUntil: string | null;
                        };
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly note?: string | null;
                        /**
                         * @description Read-only: may be sent back as it was answered.
                         * @enum {number}
                         */
                        readonly redirectStatus?: 301 | 302 | 307 | 308;
                        shortCode: string;
                        /**
                         * @description Read-only: may be sent back as it was answered.
                         * @example http://localhost:8080/7xKqPzR
                         */
                        readonly shortUrl?: string;
                        /**
                         * @description Read-only: may be sent back as it was answered.
                         * @example [
                         *       "docs",
                         *       "spring-sale"
                         *     ]
                         */
                        readonly tags?: string[];
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly title?: string | null;
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly visitsSummary?: components["schemas"]["VisitsSummary"];
                        /** @description Read-only: may be sent back as it was answered. */
                        readonly warn?: boolean;
                    }[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MovedShortUrls"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    shorten: {
        parameters: {
            query: {
                /** @description The API key; the X-Api-Key header will do as well. */
                apiKey?: string;
                /** @description Without it: text where `Accept` is `text/plain`, JSON otherwise. */
                format?: "txt" | "json";
                /**
                 * @description Where the link leads: an absolute http or https URL.
                 * @example https://example.com/a
                 */
                longUrl: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShortUrl"];
                    "text/plain": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getVisitsDimension: {
        parameters: {
            query?: {
                /** @description CSV begins with a byte order mark, so that spreadsheets read it as UTF-8; `false` leaves it out. Ignored for other formats. */
                bom?: "true" | "false";
                /**
                 * @description Visits of the short URLs of a domain; `DEFAULT` for the default one.
                 * @example s.example.com
                 */
                domain?: string;
                /** @description First instant after the range; a date includes its day. Default: the end of the current interval. */
                endDate?: string;
                /**
                 * @description Only visits with a value: `country=DE`; without it: `browser!=Chrome`; addresses that begin with a text: `referrerUrl^=https://example.org/`, or do not: `referrerUrl!^=…`. Several with the same name: any of them, and none of those with a `!`; of several names all have to hold. A value is "" where a visit has none. ip: where VISITOR_IP is full; shortCode: of `domain`, or `s.example.com/sale`. Names: country, region, city, os, browser, device, network, referrer, language, osVersion, browserVersion, referrerUrl, destination, route, importedFrom, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, domain, group, class, channel, classReason, ip, shortCode.
                 * @example [
                 *       "country=DE"
                 *     ]
                 */
                "filter[]"?: string[];
                /** @description csv: with a row of names, and text that a spreadsheet would run as a formula behind an apostrophe; jsonl: an object a line; parquet. Rows only; what an answer says of itself is in the header `x-statistics` (and in the Parquet file, under the key `hopcount`). Default: what `Accept` names (text/csv, application/x-ndjson, application/vnd.apache.parquet), else json. */
                format?: "json" | "csv" | "jsonl" | "parquet";
                /**
                 * @description Visits that were counted in the group; with none of the others.
                 * @example team-a
                 */
                group?: string;
                /**
                 * @description Of those, visits with this host or one below it; `*.example.com`: with one below it. What `hostKind` says it is of them.
                 * @example example.com
                 */
                host?: string;
                /** @description `target` (unless named), the host visits were sent to; `referrer`, the one they came from; `short`, the one that was asked. */
                hostKind?: "target" | "referrer" | "short";
                /** @description Default 100, at most 1,000; of files without visitors 100,000. */
                itemsPerPage?: string;
                /**
                 * @description `field-ASC` or `field-DESC`; field: visits, value.
                 * @example visits-DESC
                 */
                orderBy?: string;
                /**
                 * @description Requests that named no short URL instead of visits: all that are kept, or those of `domain`. They have no visitors, and the dimensions country, region, city, referrerUrl, domain, class, type, path; those of short URLs that are there (`blocked`, `held_back`) are counted where a filter names their `type`.
                 * @example true
                 */
                orphans?: "true" | "false";
                /** @description From 1. */
                page?: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /**
                 * @description Of one short URL; `domain` says which where several have the code.
                 * @example my-slug
                 */
                shortCode?: string;
                /** @description First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end. */
                startDate?: string;
                /**
                 * @description Of those that have the tag now.
                 * @example launch
                 */
                tag?: string;
                /** @description IANA name; default: the reporting zone. */
                timeZone?: string;
                /** @description Distinct visitors, or visitors and IPs, too; default none. The fewer, the faster. */
                uniques?: "none" | "visitors" | "all";
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitsDimension"];
                    "application/vnd.apache.parquet": string;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explainVisits: {
        parameters: {
            query?: {
                /** @description `next` of the page before: goes on behind it. */
                before?: string;
                /**
                 * @description Visits of the short URLs of a domain; `DEFAULT` for the default one.
                 * @example s.example.com
                 */
                domain?: string;
                /** @description First instant after the range; a date includes its day. Default: the end of the current interval. */
                endDate?: string;
                /** @description As of other questions, and `hour=13` (00 to 23) or `weekday=1` (1 to 7, from Monday) of the zone, over at most 10,000 hours. Names: country, region, city, os, browser, device, network, referrer, language, osVersion, browserVersion, referrerUrl, destination, route, importedFrom, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, domain, group, class, channel, classReason, ip, shortCode, hour, weekday. */
                "filter[]"?: string[];
                /**
                 * @description Visits that were counted in the group; with none of the others.
                 * @example team-a
                 */
                group?: string;
                /**
                 * @description Of those, visits with this host or one below it; `*.example.com`: with one below it. What `hostKind` says it is of them.
                 * @example example.com
                 */
                host?: string;
                /** @description `target` (unless named), the host visits were sent to; `referrer`, the one they came from; `short`, the one that was asked. */
                hostKind?: "target" | "referrer" | "short";
                /** @description Default 100, at most 1,000. */
                itemsPerPage?: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description Of one short URL; `domain` says which where several have the code. */
                shortCode?: string;
                /** @description First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end. */
                startDate?: string;
                /**
                 * @description Of those that have the tag now.
                 * @example launch
                 */
                tag?: string;
                /** @description IANA name; default: the reporting zone. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitsExplained"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHotVisits: {
        parameters: {
            query?: {
                /** @description Links, and hosts, at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HotVisits"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getVisitedLinks: {
        parameters: {
            query?: {
                /** @description CSV begins with a byte order mark, so that spreadsheets read it as UTF-8; `false` leaves it out. Ignored for other formats. */
                bom?: "true" | "false";
                /**
                 * @description Visits of the short URLs of a domain; `DEFAULT` for the default one.
                 * @example s.example.com
                 */
                domain?: string;
                /** @description First instant after the range; a date includes its day. Default: the end of the current interval. */
                endDate?: string;
                /**
                 * @description Only visits with a value: `country=DE`; without it: `browser!=Chrome`; addresses that begin with a text: `referrerUrl^=https://example.org/`, or do not: `referrerUrl!^=…`. Several with the same name: any of them, and none of those with a `!`; of several names all have to hold. A value is "" where a visit has none. ip: where VISITOR_IP is full; shortCode: of `domain`, or `s.example.com/sale`. Names: country, region, city, os, browser, device, network, referrer, language, osVersion, browserVersion, referrerUrl, destination, route, importedFrom, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, domain, group, class, channel, classReason, ip, shortCode.
                 * @example [
                 *       "country=DE"
                 *     ]
                 */
                "filter[]"?: string[];
                /** @description csv: with a row of names, and text that a spreadsheet would run as a formula behind an apostrophe; jsonl: an object a line; parquet. Rows only; what an answer says of itself is in the header `x-statistics` (and in the Parquet file, under the key `hopcount`). Default: what `Accept` names (text/csv, application/x-ndjson, application/vnd.apache.parquet), else json. */
                format?: "json" | "csv" | "jsonl" | "parquet";
                /**
                 * @description Visits that were counted in the group; with none of the others.
                 * @example team-a
                 */
                group?: string;
                /**
                 * @description Of those, visits with this host or one below it; `*.example.com`: with one below it. What `hostKind` says it is of them.
                 * @example example.com
                 */
                host?: string;
                /** @description `target` (unless named), the host visits were sent to; `referrer`, the one they came from; `short`, the one that was asked. */
                hostKind?: "target" | "referrer" | "short";
                /** @description Default 100, at most 1,000; of files without visitors 100,000. */
                itemsPerPage?: string;
                /**
                 * @description `field-ASC` or `field-DESC`; field: visits.
                 * @example visits-DESC
                 */
                orderBy?: string;
                /** @description From 1. */
                page?: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /**
                 * @description Of one short URL; `domain` says which where several have the code.
                 * @example my-slug
                 */
                shortCode?: string;
                /** @description First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end. */
                startDate?: string;
                /**
                 * @description Of those that have the tag now.
                 * @example launch
                 */
                tag?: string;
                /** @description IANA name; default: the reporting zone. */
                timeZone?: string;
                /** @description Distinct visitors, or visitors and IPs, too; default none. The fewer, the faster. */
                uniques?: "none" | "visitors" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitedLinks"];
                    "application/vnd.apache.parquet": string;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLiveVisits: {
        parameters: {
            query?: {
                /**
                 * @description Visits of the short URLs of a domain; `DEFAULT` for the default one.
                 * @example s.example.com
                 */
                domain?: string;
                /**
                 * @description Only visits with a value: `country=DE`; without it: `browser!=Chrome`; addresses that begin with a text: `referrerUrl^=https://example.org/`, or do not: `referrerUrl!^=…`. Several with the same name: any of them, and none of those with a `!`; of several names all have to hold. A value is "" where a visit has none. ip: where VISITOR_IP is full; shortCode: of `domain`, or `s.example.com/sale`. Names: country, region, city, os, browser, device, network, referrer, language, osVersion, browserVersion, referrerUrl, destination, route, importedFrom, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, domain, group, class, channel, classReason, ip, shortCode.
                 * @example [
                 *       "country=DE"
                 *     ]
                 */
                "filter[]"?: string[];
                /**
                 * @description Visits that were counted in the group; with none of the others.
                 * @example team-a
                 */
                group?: string;
                /**
                 * @description Of those, visits with this host or one below it; `*.example.com`: with one below it. What `hostKind` says it is of them.
                 * @example example.com
                 */
                host?: string;
                /** @description `target` (unless named), the host visits were sent to; `referrer`, the one they came from; `short`, the one that was asked. */
                hostKind?: "target" | "referrer" | "short";
                /**
                 * @description Requests that named no short URL instead of visits: all that are kept, or those of `domain`. They have no visitors, and the dimensions country, region, city, referrerUrl, domain, class, type, path; those of short URLs that are there (`blocked`, `held_back`) are counted where a filter names their `type`.
                 * @example true
                 */
                orphans?: "true" | "false";
                /**
                 * @description Of one short URL; `domain` says which where several have the code.
                 * @example my-slug
                 */
                shortCode?: string;
                /** @description Of those that have the tag now. */
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveVisits"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followLiveVisits: {
        parameters: {
            query?: {
                /**
                 * @description Visits of the short URLs of a domain; `DEFAULT` for the default one.
                 * @example s.example.com
                 */
                domain?: string;
                /**
                 * @description Only visits with a value: `country=DE`; without it: `browser!=Chrome`; addresses that begin with a text: `referrerUrl^=https://example.org/`, or do not: `referrerUrl!^=…`. Several with the same name: any of them, and none of those with a `!`; of several names all have to hold. A value is "" where a visit has none. ip: where VISITOR_IP is full; shortCode: of `domain`, or `s.example.com/sale`. Names: country, region, city, os, browser, device, network, referrer, language, osVersion, browserVersion, referrerUrl, destination, route, importedFrom, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, domain, group, class, channel, classReason, ip, shortCode.
                 * @example [
                 *       "country=DE"
                 *     ]
                 */
                "filter[]"?: string[];
                /**
                 * @description Visits that were counted in the group; with none of the others.
                 * @example team-a
                 */
                group?: string;
                /**
                 * @description Of those, visits with this host or one below it; `*.example.com`: with one below it. What `hostKind` says it is of them.
                 * @example example.com
                 */
                host?: string;
                /** @description `target` (unless named), the host visits were sent to; `referrer`, the one they came from; `short`, the one that was asked. */
                hostKind?: "target" | "referrer" | "short";
                /**
                 * @description Requests that named no short URL instead of visits: all that are kept, or those of `domain`. They have no visitors, and the dimensions country, region, city, referrerUrl, domain, class, type, path; those of short URLs that are there (`blocked`, `held_back`) are counted where a filter names their `type`.
                 * @example true
                 */
                orphans?: "true" | "false";
                /**
                 * @description Of one short URL; `domain` says which where several have the code.
                 * @example my-slug
                 */
                shortCode?: string;
                /**
                 * @description Of those that have the tag now.
                 * @example launch
                 */
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LiveEvents"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getVisitsMatrix: {
        parameters: {
            query: {
                /** @description CSV begins with a byte order mark, so that spreadsheets read it as UTF-8; `false` leaves it out. Ignored for other formats. */
                bom?: "true" | "false";
                /** @description The same of columns. */
                columnLimit?: string;
                columns: "hour" | "weekday" | "country" | "region" | "city" | "os" | "browser" | "device" | "network" | "referrer" | "language" | "osVersion" | "browserVersion" | "referrerUrl" | "destination" | "route" | "importedFrom" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent" | "domain" | "group" | "class" | "channel" | "classReason" | "ip";
                /**
                 * @description Visits of the short URLs of a domain; `DEFAULT` for the default one.
                 * @example s.example.com
                 */
                domain?: string;
                /** @description First instant after the range; a date includes its day. Default: the end of the current interval. */
                endDate?: string;
                /**
                 * @description Only visits with a value: `country=DE`; without it: `browser!=Chrome`; addresses that begin with a text: `referrerUrl^=https://example.org/`, or do not: `referrerUrl!^=…`. Several with the same name: any of them, and none of those with a `!`; of several names all have to hold. A value is "" where a visit has none. ip: where VISITOR_IP is full; shortCode: of `domain`, or `s.example.com/sale`. Names: country, region, city, os, browser, device, network, referrer, language, osVersion, browserVersion, referrerUrl, destination, route, importedFrom, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, domain, group, class, channel, classReason, ip, shortCode.
                 * @example [
                 *       "country=DE"
                 *     ]
                 */
                "filter[]"?: string[];
                /** @description csv: with a row of names, and text that a spreadsheet would run as a formula behind an apostrophe; jsonl: an object a line; parquet. Rows only; what an answer says of itself is in the header `x-statistics` (and in the Parquet file, under the key `hopcount`). Default: what `Accept` names (text/csv, application/x-ndjson, application/vnd.apache.parquet), else json. */
                format?: "json" | "csv" | "jsonl" | "parquet";
                /**
                 * @description Visits that were counted in the group; with none of the others.
                 * @example team-a
                 */
                group?: string;
                /**
                 * @description Of those, visits with this host or one below it; `*.example.com`: with one below it. What `hostKind` says it is of them.
                 * @example example.com
                 */
                host?: string;
                /** @description `target` (unless named), the host visits were sent to; `referrer`, the one they came from; `short`, the one that was asked. */
                hostKind?: "target" | "referrer" | "short";
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description Rows with the most visits that are shown; all others are one. Default 20, at most 100; hours and days of the week are all there. */
                rowLimit?: string;
                rows: "hour" | "weekday" | "country" | "region" | "city" | "os" | "browser" | "device" | "network" | "referrer" | "language" | "osVersion" | "browserVersion" | "referrerUrl" | "destination" | "route" | "importedFrom" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent" | "domain" | "group" | "class" | "channel" | "classReason" | "ip";
                /**
                 * @description Of one short URL; `domain` says which where several have the code.
                 * @example my-slug
                 */
                shortCode?: string;
                /** @description First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end. */
                startDate?: string;
                /**
                 * @description Of those that have the tag now.
                 * @example launch
                 */
                tag?: string;
                /** @description IANA name; default: the reporting zone. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitsMatrix"];
                    "application/vnd.apache.parquet": string;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    proveVisits: {
        parameters: {
            query?: {
                /**
                 * @description Visits of the short URLs of a domain; `DEFAULT` for the default one.
                 * @example s.example.com
                 */
                domain?: string;
                /** @description First instant after the range; a date includes its day. Default: the end of the current interval. */
                endDate?: string;
                /**
                 * @description As of other questions, and `hour=13` (00 to 23) or `weekday=1` (1 to 7, from Monday) of the zone, over at most 10,000 hours. Names: country, region, city, os, browser, device, network, referrer, language, osVersion, browserVersion, referrerUrl, destination, route, importedFrom, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, domain, group, class, channel, classReason, ip, shortCode, hour, weekday.
                 * @example [
                 *       "weekday=1",
                 *       "hour=13"
                 *     ]
                 */
                "filter[]"?: string[];
                /**
                 * @description Visits that were counted in the group; with none of the others.
                 * @example team-a
                 */
                group?: string;
                /**
                 * @description Of those, visits with this host or one below it; `*.example.com`: with one below it. What `hostKind` says it is of them.
                 * @example example.com
                 */
                host?: string;
                /** @description `target` (unless named), the host visits were sent to; `referrer`, the one they came from; `short`, the one that was asked. */
                hostKind?: "target" | "referrer" | "short";
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description Of one short URL; `domain` says which where several have the code. */
                shortCode?: string;
                /** @description First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end. */
                startDate?: string;
                /**
                 * @description Of those that have the tag now.
                 * @example launch
                 */
                tag?: string;
                /** @description IANA name; default: the reporting zone. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitsProof"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getVisitsSeries: {
        parameters: {
            query?: {
                /** @description CSV begins with a byte order mark, so that spreadsheets read it as UTF-8; `false` leaves it out. Ignored for other formats. */
                bom?: "true" | "false";
                /** @description Also of the range as long before this one, or of the same dates a year earlier. */
                compare?: "previous" | "year";
                /**
                 * @description Visits of the short URLs of a domain; `DEFAULT` for the default one.
                 * @example s.example.com
                 */
                domain?: string;
                /** @description First instant after the range; a date includes its day. Default: the end of the current interval. */
                endDate?: string;
                /**
                 * @description Only visits with a value: `country=DE`; without it: `browser!=Chrome`; addresses that begin with a text: `referrerUrl^=https://example.org/`, or do not: `referrerUrl!^=…`. Several with the same name: any of them, and none of those with a `!`; of several names all have to hold. A value is "" where a visit has none. ip: where VISITOR_IP is full; shortCode: of `domain`, or `s.example.com/sale`. Names: country, region, city, os, browser, device, network, referrer, language, osVersion, browserVersion, referrerUrl, destination, route, importedFrom, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, domain, group, class, channel, classReason, ip, shortCode.
                 * @example [
                 *       "country=DE"
                 *     ]
                 */
                "filter[]"?: string[];
                /** @description csv: with a row of names, and text that a spreadsheet would run as a formula behind an apostrophe; jsonl: an object a line; parquet. Rows only; what an answer says of itself is in the header `x-statistics` (and in the Parquet file, under the key `hopcount`). Default: what `Accept` names (text/csv, application/x-ndjson, application/vnd.apache.parquet), else json. */
                format?: "json" | "csv" | "jsonl" | "parquet";
                /**
                 * @description Visits that were counted in the group; with none of the others.
                 * @example team-a
                 */
                group?: string;
                /**
                 * @description Of those, visits with this host or one below it; `*.example.com`: with one below it. What `hostKind` says it is of them.
                 * @example example.com
                 */
                host?: string;
                /** @description `target` (unless named), the host visits were sent to; `referrer`, the one they came from; `short`, the one that was asked. */
                hostKind?: "target" | "referrer" | "short";
                /** @description 15min, hour, day, week, month, quarter, year; default day. Weeks start on Monday. */
                interval?: string;
                /**
                 * @description Requests that named no short URL instead of visits: all that are kept, or those of `domain`. They have no visitors, and the dimensions country, region, city, referrerUrl, domain, class, type, path; those of short URLs that are there (`blocked`, `held_back`) are counted where a filter names their `type`.
                 * @example true
                 */
                orphans?: "true" | "false";
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /**
                 * @description Of one short URL; `domain` says which where several have the code.
                 * @example my-slug
                 */
                shortCode?: string;
                /** @description First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end. */
                startDate?: string;
                /**
                 * @description Of those that have the tag now.
                 * @example launch
                 */
                tag?: string;
                /** @description IANA name; default: the reporting zone. */
                timeZone?: string;
                /** @description Distinct visitors, or visitors and IPs, too; default all. The fewer, the faster. */
                uniques?: "none" | "visitors" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitsSeries"];
                    "application/vnd.apache.parquet": string;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getVisitsTotals: {
        parameters: {
            query?: {
                /** @description CSV begins with a byte order mark, so that spreadsheets read it as UTF-8; `false` leaves it out. Ignored for other formats. */
                bom?: "true" | "false";
                /** @description Also of the range as long before this one, or of the same dates a year earlier. */
                compare?: "previous" | "year";
                /**
                 * @description Visits of the short URLs of a domain; `DEFAULT` for the default one.
                 * @example s.example.com
                 */
                domain?: string;
                /** @description First instant after the range; a date includes its day. Default: the end of the current interval. */
                endDate?: string;
                /** @description Only visits with a value: `country=DE`; without it: `browser!=Chrome`; addresses that begin with a text: `referrerUrl^=https://example.org/`, or do not: `referrerUrl!^=…`. Several with the same name: any of them, and none of those with a `!`; of several names all have to hold. A value is "" where a visit has none. ip: where VISITOR_IP is full; shortCode: of `domain`, or `s.example.com/sale`. Names: country, region, city, os, browser, device, network, referrer, language, osVersion, browserVersion, referrerUrl, destination, route, importedFrom, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, domain, group, class, channel, classReason, ip, shortCode. */
                "filter[]"?: string[];
                /** @description csv: with a row of names, and text that a spreadsheet would run as a formula behind an apostrophe; jsonl: an object a line; parquet. Rows only; what an answer says of itself is in the header `x-statistics` (and in the Parquet file, under the key `hopcount`). Default: what `Accept` names (text/csv, application/x-ndjson, application/vnd.apache.parquet), else json. */
                format?: "json" | "csv" | "jsonl" | "parquet";
                /**
                 * @description Visits that were counted in the group; with none of the others.
                 * @example team-a
                 */
                group?: string;
                /**
                 * @description Of those, visits with this host or one below it; `*.example.com`: with one below it. What `hostKind` says it is of them.
                 * @example example.com
                 */
                host?: string;
                /** @description `target` (unless named), the host visits were sent to; `referrer`, the one they came from; `short`, the one that was asked. */
                hostKind?: "target" | "referrer" | "short";
                /**
                 * @description Requests that named no short URL instead of visits: all that are kept, or those of `domain`. They have no visitors, and the dimensions country, region, city, referrerUrl, domain, class, type, path; those of short URLs that are there (`blocked`, `held_back`) are counted where a filter names their `type`.
                 * @example true
                 */
                orphans?: "true" | "false";
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /**
                 * @description Of one short URL; `domain` says which where several have the code.
                 * @example my-slug
                 */
                shortCode?: string;
                /** @description First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end. */
                startDate?: string;
                /** @description Of those that have the tag now. */
                tag?: string;
                /** @description IANA name; default: the reporting zone. */
                timeZone?: string;
                /** @description Distinct visitors, or visitors and IPs, too; default all. The fewer, the faster. */
                uniques?: "none" | "visitors" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitsTotals"];
                    "application/vnd.apache.parquet": string;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSystem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["System"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listArchiveFiles: {
        parameters: {
            query?: {
                /** @description `next` of the page before. */
                after?: string;
                /** @description Default 50; at most 200. */
                itemsPerPage?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchiveFileList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAuditMinutes: {
        parameters: {
            query?: {
                /** @description `next` of the page before. */
                after?: string;
                /** @description Also those that are equal; else only what somebody may have to look at. */
                all?: "true" | "false";
                /** @description Default 50; at most 200. */
                itemsPerPage?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditMinuteList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSystemChecks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemChecks"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description `next` of the page before. */
                after?: string;
                /** @description Default 50; at most 100. */
                itemsPerPage?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                place: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetter"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    redriveDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description partition@offset, as the list has them.
                     * @example [
                     *       "1@42"
                     *     ]
                     */
                    places: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redrive"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listVerifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTags: {
        parameters: {
            query?: {
                /** @description Default, and below 1: all, at most 50,000. */
                itemsPerPage?: string;
                /**
                 * @description `field-ASC` or `field-DESC`; field: tag, shortUrlsCount, visits, nonBotVisits.
                 * @example visits-DESC
                 */
                orderBy?: string;
                /** @description From 1. */
                page?: string;
                /** @description Part of the name. */
                searchTerm?: string;
                /** @description Ignored, as by Shlink since 3.0: ask `tags/stats`. */
                withStats?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    renameTag: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Which no other tag has.
                     * @example spring-sale
                     */
                    newName: string;
                    /** @example sale */
                    oldName: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteTags: {
        parameters: {
            query?: {
                /** @description Tags to delete; written `tags[]=a&tags[]=b`. Unknown ones are left out. */
                "tags[]"?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTagVisits: {
        parameters: {
            query?: {
                domain?: string;
                /** @description Up to and including: RFC 3339, or a date. */
                endDate?: string;
                /** @description When present, whatever its value: without bots, previews and prefetches. */
                excludeBots?: string;
                /** @description Absent or below 1: all, at most 5,000. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description At or after: RFC 3339, or a date. */
                startDate?: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
            };
            header?: never;
            path: {
                tag: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mergeTags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The tag that their short URLs get.
                     * @example spring-sale
                     */
                    into: string;
                    /**
                     * @description Tags that go; those that are gone already are left out, at least one must be there.
                     * @example [
                     *       "sale",
                     *       "sales"
                     *     ]
                     */
                    tags: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTagStats: {
        parameters: {
            query?: {
                /** @description Default, and below 1: all, at most 50,000. */
                itemsPerPage?: string;
                /**
                 * @description `field-ASC` or `field-DESC`; field: tag, shortUrlsCount, visits, nonBotVisits.
                 * @example visits-DESC
                 */
                orderBy?: string;
                /** @description From 1. */
                page?: string;
                /** @description Part of the name. */
                searchTerm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagStatsList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Default, and below 1: all, at most 5,000. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    editUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly dateCreated?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly dateLastSignIn?: string | null;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example ada@example.com
                     */
                    readonly email?: string;
                    /** @description A disabled user is signed out, and cannot sign in. */
                    enabled?: boolean;
                    /**
                     * @description Role of each of some groups (100 at most): there an `owner` also purges visits.
                     * @example {
                     *       "spring": "member"
                     *     }
                     */
                    groups?: {
                        [key: string]: "viewer" | "member" | "owner";
                    };
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly hasProvider?: boolean;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly id?: number;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example Ada
                     */
                    readonly name?: string;
                    /** @description Of everything. `viewer` reads, `member` also creates and edits, `owner` administers. */
                    role?: ("viewer" | "member" | "owner") | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly secondFactor?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unbindUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resetUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invite"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acceptInvite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Of a new account.
                     * @example ada@example.com
                     */
                    email?: string;
                    /**
                     * @description Of a new account.
                     * @example Ada
                     */
                    name?: string;
                    /** @description 12 to 256 characters. */
                    password: string;
                    token: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listInvites: {
        parameters: {
            query?: {
                /** @description Default, and below 1: all, at most 5,000. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InviteList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    inviteUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Role of each of some groups (100 at most): there an `owner` also purges visits.
                     * @example {
                     *       "spring": "member"
                     *     }
                     */
                    groups?: {
                        [key: string]: "viewer" | "member" | "owner";
                    };
                    /** @description Of the first owner: worth nothing once there is an account. */
                    onlyFirst?: boolean;
                    /** @description Of everything. `viewer` reads, `member` also creates and edits, `owner` administers. */
                    role?: ("viewer" | "member" | "owner") | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invite"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    withdrawInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getVisitsOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitsOverview"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNonOrphanVisits: {
        parameters: {
            query?: {
                domain?: string;
                /** @description Up to and including: RFC 3339, or a date. */
                endDate?: string;
                /** @description When present, whatever its value: without bots, previews and prefetches. */
                excludeBots?: string;
                /** @description Absent or below 1: all, at most 5,000. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description At or after: RFC 3339, or a date. */
                startDate?: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listOrphanVisits: {
        parameters: {
            query?: {
                /** @description Only of this authority; `DEFAULT` is the default domain. */
                domain?: string;
                /** @description Up to and including: RFC 3339, or a date. */
                endDate?: string;
                /** @description When present, whatever its value: without bots, previews and prefetches. */
                excludeBots?: string;
                /** @description Absent or below 1: all, at most 5,000. */
                itemsPerPage?: string;
                /** @description From 1. */
                page?: string;
                /**
                 * @description Instead of startDate and endDate: whole days of the zone.
                 * @example last7days
                 */
                range?: "today" | "yesterday" | "last7days" | "last30days" | "last90days" | "last365days" | "thisWeek" | "lastWeek" | "thisMonth" | "lastMonth" | "thisYear" | "lastYear" | "weekToDate" | "monthToDate" | "yearToDate";
                /** @description At or after: RFC 3339, or a date. */
                startDate?: string;
                /**
                 * @description IANA name; default: the reporting zone.
                 * @example Europe/Berlin
                 */
                timeZone?: string;
                /** @description Only one of base_url, invalid_short_url, regular_404, blocked, held_back. Those of links that are there are listed with their type alone: `blocked`, and `held_back` (a page that asks for a password was shown). */
                type?: "base_url" | "invalid_short_url" | "regular_404" | "blocked" | "held_back";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrphanVisitList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteOrphanVisits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedVisits"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly createdAt?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly deliveredAt?: string | null;
                    /**
                     * @description At most 200 characters.
                     * @default
                     * @example newsletter
                     */
                    description?: string;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example Nothing could be delivered for a day: the receiver answered 500.
                     */
                    readonly disabledReason?: string | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly enabled?: boolean;
                    /**
                     * @description What is told.
                     * @example [
                     *       "link.created",
                     *       "link.visits_reached"
                     *     ]
                     */
                    events: ("link.created" | "link.edited" | "link.visits_reached" | "link.anomaly" | "host.surged")[];
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly failingSince?: string | null;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example 7
                     */
                    readonly id?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly lastFailure?: {
                        /**
                         * Format: date-time
                         * @description Whole seconds, `+00:00`.
                         */
                        at: string;
                        /** @example The receiver answered 500. */
                        reason: string;
                    } | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly overflowedAt?: string | null;
                    /**
                     * @description Where events are posted to, over http or https; neither a private address nor a redirect is followed.
                     * @example https://hooks.example.com/hopcount
                     */
                    url: string;
                    /**
                     * @description With `link.visits_reached`: the numbers of visits of any short URL that are told, once each.
                     * @default []
                     * @example [
                     *       1000,
                     *       100000
                     *     ]
                     */
                    visits?: number[];
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly waiting?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    editWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Read-only: may be sent back as it was answered.
                     */
                    readonly createdAt?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly deliveredAt?: string | null;
                    /**
                     * @description At most 200 characters.
                     * @example newsletter
                     */
                    description?: string;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example Nothing could be delivered for a day: the receiver answered 500.
                     */
                    readonly disabledReason?: string | null;
                    /** @description One that is enabled again begins anew: what waits is posted at once, unless it is older than 3 days. */
                    enabled?: boolean;
                    /**
                     * @description What is told.
                     * @example [
                     *       "link.created",
                     *       "link.visits_reached"
                     *     ]
                     */
                    events?: ("link.created" | "link.edited" | "link.visits_reached" | "link.anomaly" | "host.surged")[];
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly failingSince?: string | null;
                    /**
                     * @description Read-only: may be sent back as it was answered.
                     * @example 7
                     */
                    readonly id?: string;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly lastFailure?: {
                        /**
                         * Format: date-time
                         * @description Whole seconds, `+00:00`.
                         */
                        at: string;
                        /** @example The receiver answered 500. */
                        reason: string;
                    } | null;
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly overflowedAt?: string | null;
                    /**
                     * @description Where events are posted to, over http or https; neither a private address nor a redirect is followed.
                     * @example https://hooks.example.com/hopcount
                     */
                    url?: string;
                    /**
                     * @description With `link.visits_reached`: the numbers of visits of any short URL that are told, once each.
                     * @example [
                     *       1000,
                     *       100000
                     *     ]
                     */
                    visits?: number[];
                    /** @description Read-only: may be sent back as it was answered. */
                    readonly waiting?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resendWebhookEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                eventId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
