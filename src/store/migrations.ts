export interface Migration {
  readonly version: number
  readonly name: string
  readonly statements: readonly string[]
}

/**
 * The schema's history. A released migration is never edited: a change is a new one at the end.
 *
 * Times are timestamptz. Columns marked `json` are text that holds JSON (stored-text.ts says why): query them with
 * `column::jsonb`.
 */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'servers, tools, runs',
    statements: [
      `create table servers (
        name text primary key,
        transport text not null,
        status text not null,
        present boolean not null,
        tool_count integer not null,
        from_snapshot boolean not null,
        trouble text, -- json
        retry_at timestamptz,
        protocol_version text,
        server_info text, -- json
        pids text not null, -- json
        updated_at timestamptz not null
      )`,
      `create table tools (
        id text primary key,
        server text not null,
        name text not null,
        definition text not null, -- json
        hash text not null,
        tokens integer,
        listed boolean not null,
        changed text, -- json
        flags text not null, -- json
        pin text not null generated always as
          (case when changed is null then 'approved' else 'quarantined' end) stored,
        first_seen timestamptz not null,
        last_seen timestamptz not null
      )`,
      `create table run (
        id text primary key,
        intent text,
        status text not null,
        started_at timestamptz not null,
        ended_at timestamptz
      )`,
      'create index run_newest on run (started_at desc, id desc)',
      `create index run_open on run (id) where status = 'running'`,
      `create table task (
        run_id text not null references run (id) on delete cascade,
        id text not null,
        whole_id text,
        position integer not null,
        tool text not null,
        arguments text not null, -- json
        status text not null,
        result text, -- json
        error text, -- json
        started_at timestamptz,
        ms double precision,
        primary key (run_id, id)
      )`,
      `create index task_open on task (run_id) where status in ('pending', 'running')`,
    ],
  },
  {
    version: 2,
    name: 'what is learned',
    statements: [
      `create table tool_dependency (
        from_id text not null,
        to_id text not null,
        type text not null,
        whole_from text, -- where an id is longer than an index can hold
        whole_to text,
        source text not null,
        count integer not null,
        successes integer not null,
        failures integer not null,
        first_seen timestamptz,
        last_seen timestamptz,
        primary key (from_id, to_id, type)
      )`,
      'create index tool_dependency_to on tool_dependency (to_id)',
      // What retention folded away: the edges as the deleted traces had left them.
      'create table graph_baseline (like tool_dependency including defaults)',
      `create table trace (
        position bigint generated always as identity primary key,
        id text not null unique,
        parent_id text,
        run_id text not null,
        tool text,
        task_id text,
        intent text,
        arguments text, -- json
        result text, -- json
        error_code text,
        success boolean not null,
        started_at timestamptz not null,
        ended_at timestamptz not null,
        depends_on text not null, -- json
        links text not null, -- json
        promoted text -- json
      )`,
      'create index trace_run on trace (run_id)',
      `create table tool_embedding (
        model text not null,
        tool_id text collate "C" not null, -- batches are read in this order, wherever the database is
        whole_tool text,
        text_hash text not null,
        vector real[] not null,
        primary key (model, tool_id)
      )`,
      // Vectors do not get smaller by compression, only slower.
      'alter table tool_embedding alter column vector set storage external',
    ],
  },
  {
    version: 3,
    name: 'what results look like',
    statements: [
      `create table tool_output_schema (
        tool text primary key,
        whole_tool text, -- where an id is longer than an index can hold
        schema text not null, -- json
        version integer not null,
        samples integer not null,
        updated_at timestamptz not null
      )`,
      // What retention folded away: the schemas as the deleted traces had left them.
      'create table output_schema_baseline (like tool_output_schema including defaults)',
    ],
  },
  {
    version: 4,
    name: 'tasks done for each',
    // The id of the task that an element is one place of.
    statements: ['alter table task add column parent text'],
  },
  {
    version: 5,
    name: 'checkpoints and decisions',
    statements: [
      // What an older version left open has no plan: nobody can go on with it.
      `update run set status = 'interrupted' where status = 'running'`,
      `update task set status = 'interrupted' where status in ('pending', 'running')`,
      // A row is rewritten within its page, without its index entries, as long as no indexed column has changed.
      'drop index task_open',
      'create index task_order on task (run_id, position)',
      'alter table task add column attempts integer',
      'drop index run_open',
      'alter table run add column owner text',
      `create index run_open on run (started_at, id)
        where status not in ('complete', 'partial_failure', 'failed', 'aborted')`,
      `create table workflow_checkpoint (
        run_id text primary key references run (id) on delete cascade,
        plan text, -- json
        progress text not null, -- json
        updated_at timestamptz not null
      ) with (fillfactor = 50)`,
      `create table decision (
        id text primary key,
        position bigint generated always as identity,
        kind text not null,
        run_id text references run (id) on delete cascade, -- none: a tool that a client called by itself
        task_id text,
        caller text not null,
        tool text not null,
        arguments text not null, -- json
        arguments_hash text not null,
        policy_version text not null,
        risk text not null,
        why text not null,
        so_far text not null,
        answered_by text not null, -- who may approve
        requested_at timestamptz not null,
        expires_at timestamptz not null,
        verdict text, -- none: nobody has answered
        verdict_by text,
        verdict_reason text,
        verdict_at timestamptz,
        used_at timestamptz,
        refusals text not null -- json
      )`,
      'create index decision_run on decision (run_id) where run_id is not null',
      'create index decision_pending on decision (requested_at) where verdict is null',
      `create index decision_unused on decision (requested_at)
        where run_id is null and verdict = 'approve' and used_at is null`,
    ],
  },
  {
    version: 6,
    name: 'traces of scoring, episodes, thresholds, risk',
    statements: [
      // Calls that clients made themselves are traces without a parent too: runs are found by this.
      'alter table trace add column follows text', // json
      'create index trace_of_runs on trace (position) where parent_id is null and tool is null',
      `create table tool_thompson_states (
        id text primary key,
        whole_id text, -- where an id is longer than an index can hold
        alpha double precision not null,
        beta double precision not null,
        observations integer not null,
        updated_at timestamptz not null
      )`,
      'create table capability_thompson_states (like tool_thompson_states including all)',
      // What was learned elsewhere is added to the baselines.
      'alter table graph_baseline add primary key (from_id, to_id, type)',
      'alter table output_schema_baseline add primary key (tool)',
      // What retention folded away: the states of tools as the deleted traces had left them.
      'create table beta_baseline (like tool_thompson_states including all)',
      `create table adaptive_thresholds (
        context text primary key,
        whole_context text,
        suggest double precision not null,
        execute double precision not null,
        newest_outcomes text not null, -- json
        outcomes integer not null,
        updated_at timestamptz not null
      )`,
      `create table algorithm_traces (
        id text primary key,
        at timestamptz not null,
        kind text not null,
        mode text not null,
        session text,
        run_id text,
        intent text,
        tool text,
        workflow_type text,
        alpha double precision,
        signals text not null, -- json
        parameters text not null, -- json
        score double precision not null,
        threshold double precision,
        decision text not null,
        outcome text, -- none: nothing has come of it yet
        success boolean,
        duration_ms double precision,
        outcome_at timestamptz
      )`,
      'create index algorithm_traces_run on algorithm_traces (run_id) where run_id is not null',
      'create index algorithm_traces_at on algorithm_traces (at)',
      `create table episodic_events (
        id text primary key,
        at timestamptz not null,
        kind text not null,
        tool text not null,
        whole_tool text,
        session text,
        run_id text,
        algorithm_trace_id text,
        workflow_type text not null,
        alpha double precision not null,
        success boolean not null,
        duration_ms double precision,
        data text not null -- json
      )`,
      'create index episodic_events_at on episodic_events (at)',
      'create index episodic_events_like on episodic_events (tool, workflow_type, at)',
      `create table tool_risk_overrides (
        tool text primary key,
        whole_tool text,
        risk text not null,
        reason text not null,
        set_at timestamptz not null
      )`,
      `create table permission_audit_log (
        id text primary key,
        position bigint generated always as identity,
        at timestamptz not null,
        what text not null,
        subject text not null,
        before text not null,
        after text not null,
        is_escalation boolean not null,
        reason text not null,
        made_by text not null
      )`,
      'create index permission_audit_log_at on permission_audit_log (at, position)',
      `create table tool_preference (
        tool text primary key,
        whole_tool text,
        approvals integer not null,
        rejections integer not null,
        streak integer not null,
        updated_at timestamptz not null
      )`,
      `create table learned_state (
        name text primary key,
        state text not null, -- json
        updated_at timestamptz not null default now()
      )`,
      // What it taught is known, and its traces are gone: folded into the baseline, or forgotten.
      'alter table run add column lesson_gone boolean not null default false',
      // Runs that have ended and taught nothing are looked for at every start.
      `create index run_ended on run (ended_at)
        where status in ('complete', 'partial_failure', 'failed', 'aborted')`,
    ],
  },
  {
    version: 7,
    name: 'running ahead',
    // The checks refuse infinity and NaN, which is greater there: one of them would spoil every sum it is in.
    statements: [
      // A row is written again when its outcome is known: within its page, where there is room.
      `create table speculation (
        id text primary key,
        session text not null,
        tool text not null,
        whole_tool text, -- where an id is longer than an index can hold
        arguments text not null, -- json
        p double precision not null check (abs(p) < 'infinity'),
        tool_p double precision not null check (abs(tool_p) < 'infinity'),
        source text not null,
        predicted_at timestamptz not null,
        decision text not null,
        refusal text, -- none: it was not refused
        cost double precision not null check (abs(cost) < 'infinity'),
        took_ms double precision check (abs(took_ms) < 'infinity'),
        outcome text, -- none: nothing has come of it yet
        outcome_at timestamptz,
        saved_ms double precision check (abs(saved_ms) < 'infinity')
      ) with (fillfactor = 70)`,
      'create index speculation_at on speculation (predicted_at)',
      'create index speculation_tool on speculation (tool, predicted_at)',
      `create table dataflow_template (
        key text primary key, -- the hash of the five below it, each of which may be longer than an index can hold
        tool text not null,
        parameter text not null,
        after text not null, -- empty: whatever came before
        source text not null,
        value text, -- json
        count double precision not null check (abs(count) < 'infinity'),
        hits double precision not null check (abs(hits) < 'infinity'),
        last_at timestamptz not null
      ) with (fillfactor = 70)`,
    ],
  },
  {
    version: 8,
    name: 'capabilities',
    statements: [
      // A row is written again at every use: within its page, where there is room.
      `create table capability (
        id text primary key,
        whole_id text, -- where an id is longer than an index can hold
        name text not null unique,
        whole_name text,
        structure text not null unique,
        whole_structure text,
        description text not null,
        intents text not null, -- json
        code text not null,
        input_schema text not null, -- json
        output_schema text, -- json
        tools text not null, -- json
        calls text not null, -- json
        origin text not null,
        uses integer not null,
        successes integer not null,
        mean_ms double precision not null check (abs(mean_ms) < 'infinity'),
        recent text not null, -- json
        created_at timestamptz not null check (isfinite(created_at)),
        last_used_at timestamptz not null check (isfinite(last_used_at))
      ) with (fillfactor = 50)`,
      // What the two lists of a capability say, one row for each: the tools, then the capabilities that it calls.
      `create table capability_tool (
        capability text not null references capability (id) on delete cascade,
        position integer not null,
        tool text not null,
        whole_tool text,
        primary key (capability, position)
      )`,
      'create index capability_tool_tool on capability_tool (tool)',
      `create table capability_dependency (
        from_id text not null references capability (id) on delete cascade,
        to_id text not null references capability (id) on delete cascade,
        type text not null,
        count integer not null,
        successes integer not null,
        last_seen timestamptz not null check (isfinite(last_seen)),
        is_manual boolean not null,
        primary key (from_id, to_id, type)
      ) with (fillfactor = 70)`,
      'create index capability_dependency_to on capability_dependency (to_id)',
    ],
  },
]
