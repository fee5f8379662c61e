/** Names of DeerFlow's `config.yaml` that this version accepts and does not act on. */

interface ReservedName {
  /** Place in the file, with dots; a row covers everything below it. */
  readonly path: string;
  /** What is missing for it to work, as the end of the warning's sentence. */
  readonly because: string;
}

/** Each row is one warning and never an error, so that a DeerFlow user's file starts as it is. */
export const RESERVED_NAMES: readonly ReservedName[] = [
  { path: "logging", because: "log lines have one form" },
  { path: "tool_groups", because: "all built-in tools belong to the lead agent" },
  { path: "tools", because: "only built-in tools exist" },
  { path: "tool_search", because: "every tool is always visible" },
  { path: "skills", because: "skills are not loaded" },
  { path: "skill_scan", because: "skills are not loaded" },
  { path: "skill_evolution", because: "skills are not loaded" },
  { path: "extensions", because: "middleware cannot be added by name" },
  { path: "plugins", because: "plugins are not loaded" },
  { path: "summarization", because: "conversations are not summarized" },
  { path: "memory", because: "nothing is remembered across threads" },
  { path: "agents_api", because: "there is one agent" },
  { path: "acp_agents", because: "outside agents are not called" },
  { path: "subagents", because: "the lead agent works alone" },
  { path: "guardrails", because: "no guardrail provider is called" },
  { path: "authorization", because: "there is one user" },
  { path: "circuit_breaker", because: "a failing model fails the run" },
  { path: "llm_call", because: "model calls are not queued" },
  { path: "loop_detection", because: "only the recursion limit ends a loop" },
  { path: "tool_progress", because: "only the recursion limit ends a loop" },
  { path: "safety_finish_reason", because: "finish reasons are passed on as they come" },
  { path: "token_usage", because: "token use is passed on as it comes" },
  { path: "token_budget", because: "token use is not limited" },
  { path: "suggestions", because: "no follow-up questions are suggested" },
  { path: "input_polish", because: "questions are taken as they are" },
  { path: "auth", because: "there is one user" },
  { path: "run_events", because: "run events lie in the database" },
  { path: "agent_storage", because: "there is one agent" },
  { path: "scheduler", because: "nothing runs on a schedule" },
  { path: "mcp_tasks", because: "MCP servers are not called" },
  { path: "run_ownership", because: "one process owns every run" },
  { path: "stream_bridge", because: "streams are kept in this process" },
  { path: "channels", because: "no chat service is connected" },
  { path: "channel_connections", because: "no chat service is connected" },
  { path: "dedupe_storage", because: "no chat service is connected" },
  { path: "uploads.auto_convert_documents", because: "uploads are stored as they are" },
  { path: "uploads.pdf_converter", because: "uploads are stored as they are" },
  { path: "database.pool_size", because: "the pool has a fixed size" },
  { path: "database.pool_recycle", because: "a broken connection is replaced when it is found" },
  { path: "database.command_timeout", because: "statements have one limit" },
  { path: "database.checkpoint_channel_mode", because: "checkpoints have one form" },
  { path: "database.checkpoint_delta", because: "checkpoints have one form" },
  { path: "database.checkpoint_graph_cache", because: "graphs are not cached" },
  { path: "database.checkpoint_cache", because: "checkpoints are not cached" },
  { path: "sandbox.port", because: "a free port is taken" },
  { path: "sandbox.overflow_policy", because: "more than sandbox.replicas are refused" },
  { path: "sandbox.acquire_timeout", because: "more than sandbox.replicas are refused" },
  { path: "sandbox.burst_limit", because: "more than sandbox.replicas are refused" },
  { path: "sandbox.health_check_skip_seconds", because: "containers are not asked how they are" },
  { path: "sandbox.ownership", because: "containers belong to the process that started them" },
  { path: "sandbox.thread_data_mounts", because: "the folders of the thread are always mounted" },
  { path: "sandbox.provisioner_url", because: "no provisioner is called" },
];
