/** The one table of failures: every error that reaches a model, a caller or a terminal has a row here. */

/** Who may sensibly try again after this failure. */
export type Retry = "model" | "caller" | "never";

export interface ErrorRow {
  /** HTTP status at the gateway. */
  readonly status: number;
  readonly retry: Retry;
  /** What is wrong and where. `{name}` is replaced by `details.name`. */
  readonly text: string;
  /** What to do next, where that is not obvious from the text. */
  readonly next?: string;
}

/** Codes are public and stable; texts may be improved. Sorted by room, then by code. */
export const ERROR_CATALOGUE = {
  internal: { status: 500, retry: "never", text: "Something failed inside DeerFlow: {reason}." },
  invalid_request: { status: 422, retry: "caller", text: "The request is not valid: {reason}." },

  config_file_missing: {
    status: 500,
    retry: "caller",
    text: "The configuration file {file} is not there ({origin}).",
    next: "Correct the path, or create the file with: deerflow config init.",
  },
  config_unreadable: {
    status: 500,
    retry: "caller",
    text: "The configuration file {file} cannot be read: {reason}.",
  },
  config_syntax: {
    status: 500,
    retry: "caller",
    text: "{file} is not valid YAML at line {line}, column {column}: {problem}.",
    next: "Correct that line; indentation, colons and quotes are the usual causes.",
  },
  config_invalid: {
    status: 500,
    retry: "caller",
    text: "{key} in {file}{line} is not valid: {problem}.",
    next: "The settings are explained in the file that deerflow config init writes.",
  },
  config_key_unknown: {
    status: 500,
    retry: "caller",
    text: "{file} has an unknown name {place}{line}: {key}.",
    next: "{hint}",
  },
  config_variable_missing: {
    status: 500,
    retry: "caller",
    text: "{key} in {file}{line} asks for the environment variable {variable}, which is not set.",
    next: "Set {variable}, or write a value in its place.",
  },
  identity_unavailable: {
    status: 500,
    retry: "caller",
    text: "identity.enabled in {file} is true, but users and permissions come in a later version.",
    next: "Set it to false.",
  },

  model_unknown: {
    status: 422,
    retry: "caller",
    text: "There is no model named {name}.",
    next: "{hint}",
  },
  model_key_missing: {
    status: 500,
    retry: "caller",
    text: "The model {name} has no key.",
    next: "Set {variable}, or give the model an api_key in config.yaml.",
  },
  model_unreachable: {
    status: 502,
    retry: "caller",
    text: "The model {model} cannot be reached ({reason}).",
    next: "Check that its server runs and that its base_url in config.yaml is right; what was done so far is kept.",
  },
  model_key_refused: {
    status: 502,
    retry: "caller",
    text: "The model {model} refused the key ({reason}).",
    next: "Check the key in the environment or in config.yaml.",
  },
  model_not_served: {
    status: 502,
    retry: "caller",
    text: "The provider does not serve the model {model} ({reason}).",
    next: "Check the name of the model and the base_url in config.yaml.",
  },
  model_busy: {
    status: 503,
    retry: "caller",
    text: "The model {model} is overloaded or out of order ({reason}).",
    next: "Try again in a while; what was done so far is kept.",
  },
  model_failed: {
    status: 502,
    retry: "caller",
    text: "The model {model} failed: {reason}.",
  },
  model_none: {
    status: 500,
    retry: "caller",
    text: "No model is configured, no key is set, no local server answers, and the demo model is off.",
    next: "Add a model to config.yaml, or set OPENAI_API_KEY or ANTHROPIC_API_KEY.",
  },
  model_provider_unknown: {
    status: 500,
    retry: "caller",
    text: "The model {name} uses {use}, which is no provider of this version.",
    next: "{hint}",
  },

  command_invalid: {
    status: 422,
    retry: "model",
    text: "The command cannot be run: {reason}.",
  },
  sandbox_failed: {
    status: 500,
    retry: "caller",
    text: "The sandbox {provider} could not run the command: {reason}.",
    next: "deerflow doctor says what the sandbox needs.",
  },
  sandbox_mount_invalid: {
    status: 500,
    retry: "never",
    text: "A folder cannot be shown in the sandbox at {virtualPath}: {reason}.",
  },
  network_policy_invalid: {
    status: 500,
    retry: "never",
    text: "sandbox.network.allow cannot have {entry}: {reason}.",
  },
  sandbox_provider_invalid: {
    status: 500,
    retry: "never",
    text: "sandbox.remote.use names {use}, which cannot be used: {reason}.",
  },
  sandbox_unauthorized: {
    status: 403,
    retry: "model",
    text: "This sandbox may not be used: {reason}.",
    next: "Go on without files and commands, and tell the user.",
  },
  disk_full: {
    status: 507,
    retry: "caller",
    text: "No command can be run while the disk behind {path} is almost full: {reason}.",
    next: "Remove files that are not needed; sandbox.limits.free_disk_mb says how much must stay free.",
  },
  sandbox_released: {
    status: 409,
    retry: "caller",
    text: "The command was ended because its sandbox {id} was let go.",
  },

  arguments_invalid: { status: 422, retry: "model", text: "The arguments are not valid: {reason}." },

  archive_folder_taken: {
    status: 409,
    retry: "caller",
    text: "Something is at {path} already; an archive is only unpacked into a new folder.",
  },
  archive_invalid: {
    status: 422,
    retry: "caller",
    text: "The archive cannot be unpacked: {reason}.",
    next: "Nothing of it was kept. Pack it anew without that, or send the files one by one.",
  },
  archive_too_large: {
    status: 413,
    retry: "caller",
    text: "The archive is too large: {reason}.",
    next: "Nothing of it was kept. Send a smaller part.",
  },
  approval_missing: {
    status: 403,
    retry: "model",
    text: "{tool}{place} needs a person's approval, which this call did not get.",
    next: "Make the call again; it will be shown to the person first.",
  },
  content_too_large: {
    status: 413,
    retry: "model",
    text: "The content has {size} bytes; one call takes at most {limit}.",
    next: "Write the first part, then add the rest with append.",
  },
  disk_failed: { status: 500, retry: "model", text: "The disk refused {path} ({reason})." },
  edit_ambiguous: {
    status: 409,
    retry: "model",
    text: "The text to replace occurs {count} times in {path} (lines {lines}).",
    next: "Add lines around it so that it occurs once, or set replace_all.",
  },
  edit_empty: {
    status: 422,
    retry: "model",
    text: "The text to replace is empty, and {path} is not.",
    next: "Give the text to replace, or write the whole file.",
  },
  edit_not_found: {
    status: 409,
    retry: "model",
    text: "The text to replace does not occur in {path}. {hint}",
  },
  edit_too_large: {
    status: 413,
    retry: "model",
    text: "{path} cannot be edited like this: {reason}.",
    next: "Replace fewer places, or split the file.",
  },
  edit_unchanged: {
    status: 422,
    retry: "model",
    text: "The old and the new text are the same; {path} stays as it is.",
  },
  file_busy: {
    status: 409,
    retry: "model",
    text: "{path} is being written by another process, which does not finish.",
    next: "Try again in a moment.",
  },
  file_changed: {
    status: 409,
    retry: "model",
    text: "{path} has changed since it was read.",
    next: "Read it again, then repeat the change.",
  },
  file_not_read: {
    status: 409,
    retry: "model",
    text: "{path} already exists, and you have not read its current version.",
  },
  file_not_text: {
    status: 415,
    retry: "model",
    text: "{path} is not valid UTF-8 text, so changing a part of it would damage the rest.",
    next: "Convert it to UTF-8 first, or replace it whole.",
  },
  file_too_large: {
    status: 413,
    retry: "model",
    text: "{path} has {size} bytes; at most {limit} can be read at once.",
    next: "Read it in parts, or search it.",
  },
  file_too_large_to_edit: {
    status: 413,
    retry: "model",
    text: "{path} has {size} bytes, which is too large to be changed in parts; that is possible up to {limit} bytes.",
    next: "Leave it as it is, or write to another file.",
  },
  file_tool_failed: {
    status: 500,
    retry: "model",
    text: "{tool} failed inside ({kind}).",
    next: "Try once more, or go on without it; look first whether it has changed anything.",
  },
  file_tool_unusable: {
    status: 500,
    retry: "model",
    text: "{tool} cannot be used as it is set up ({kind}).",
    next: "Another try fails in the same way until the user or the operator mends this. Tell the user, and go on without it.",
  },
  is_a_directory: { status: 409, retry: "model", text: "{path} is a folder, not a file." },
  lines_out_of_range: {
    status: 416,
    retry: "model",
    text: "{path} ends with line {total}; there are none from {start} to {end}.",
  },
  not_a_directory: { status: 409, retry: "model", text: "{path} is a file, not a folder." },
  offset_out_of_range: {
    status: 416,
    retry: "model",
    text: "{path} ends with line {total}; offset {offset} is past its end.",
    next: "Give an offset from 0 to {last}.",
  },
  path_denied: { status: 403, retry: "model", text: "{path} cannot be used: {reason}." },
  path_invalid: {
    status: 422,
    retry: "model",
    text: "{path} is not a path that can be used: {reason}.",
    next: "Give an absolute path: it begins with /, and every folder in it is spelled out.",
  },
  path_forbidden: {
    status: 403,
    retry: "model",
    text: "{path} cannot be {done}: {reason}.",
    next: "Do not try other spellings or tools; go on without it, or tell the user what is missing.",
  },
  path_of_host: {
    status: 422,
    retry: "model",
    text: "The path given is one of the host machine. Here the same place is called {path}.",
    next: "Use {path} with the file tools.",
  },
  path_not_found: {
    status: 404,
    retry: "model",
    text: "Nothing is at {path}.",
    next: "List the folder above it to see what is there.",
  },
  video_unreadable: {
    status: 422,
    retry: "model",
    text: "{path} cannot be shown as a video ({part}): {reason}.",
    next: "Ask for another part of it, or go on without it.",
  },
  pattern_invalid: { status: 422, retry: "model", text: "The pattern {pattern} cannot be used: {reason}." },

  permissions_invalid: {
    status: 500,
    retry: "never",
    text: "The file permission rule {rule} is not valid: {reason}.",
  },
  permissions_unenforceable: {
    status: 500,
    retry: "never",
    text: "These file permission rules cannot be enforced, because commands in the shell could go around them: {rules}.",
    next: "{hint}",
  },
  permissions_too_wide: {
    status: 500,
    retry: "model",
    text: "The command was not run, because the files that permission rules protect could not be told beforehand: {reason}.",
    next: "Remove with the file tools files that the rules cover and that are not needed, then run the command again. What you may not remove, tell the user about: who can remove or move it, or put a rule for a whole folder in the place of the one with wildcards, as /folder/**, which may cover any number of files.",
  },
  filesystem_options_invalid: {
    status: 500,
    retry: "never",
    text: "The option {option} of the file tools is not valid: {reason}.",
  },
  graph_state_missing: {
    status: 500,
    retry: "never",
    text: "The files lie in the state of a graph, and no graph is running here.",
    next: "Use StateBackend only inside the tools and hooks of an agent, or take another backend.",
  },
  graph_field_missing: {
    status: 500,
    retry: "never",
    text: "The state of this graph has no field {field}, in which the files would lie.",
    next: "Add it to the state schema: new StateSchema({ {field}: filesChannel }).",
  },
  store_missing: {
    status: 500,
    retry: "never",
    text: "The files lie in a LangGraph store, and there is none here.",
    next: "Give the agent a store, or StoreBackend its option store.",
  },
  stored_file_invalid: {
    status: 500,
    retry: "model",
    text: "What is stored at {path} is not a file.",
    next: "Delete it or write it anew.",
  },
  removal_unsupported: {
    status: 501,
    retry: "model",
    text: "{path} cannot be deleted: these files do not support it.",
  },

  state_schema_unsupported: {
    status: 500,
    retry: "never",
    text: "The state schema of {owner} is neither a Zod object nor a StateSchema.",
    next: "Write it as z.object({…}) or new StateSchema({…}).",
  },
  middleware_not_composable: {
    status: 500,
    retry: "never",
    text: "{name} cannot be made of its parts: {reason}.",
    next: "Give the parts to the agent one by one instead.",
  },
  middleware_name_taken: {
    status: 500,
    retry: "never",
    text: "Two middleware are both named {name}.",
    next: "Give each its own name; a paused run finds its middleware by it.",
  },
  jump_target_invalid: {
    status: 500,
    retry: "never",
    text: "{hook} of the middleware {middleware} jumps to {target}, which is not among its canJumpTo: {allowed}.",
    next: "Add the target to canJumpTo of that hook.",
  },
  wrap_result_invalid: {
    status: 500,
    retry: "never",
    text: "{hook} of the middleware {middleware} returned {actual} where {expected} was expected.",
  },
  tool_name_taken: {
    status: 500,
    retry: "never",
    text: "Two tools are both named {tool}.",
    next: "Rename one of them, or leave one out.",
  },
  tool_without_executor: {
    status: 500,
    retry: "never",
    text: "The middleware {middleware} offers the model the tool {tool}, which nothing can run.",
    next: "Register the tool, or run it in a wrapToolCall hook.",
  },
  tool_replaced: {
    status: 500,
    retry: "never",
    text: "The middleware {middleware} replaced the registered tool {tool} in wrapModelCall.",
    next: "Hand over another tool in wrapToolCall instead.",
  },
  system_message_ambiguous: {
    status: 500,
    retry: "never",
    text: "The middleware {middleware} changed both systemPrompt and systemMessage of one request.",
    next: "Change only one of them.",
  },
  model_without_tools: {
    status: 500,
    retry: "never",
    text: "The model {model} cannot be given tools: it has no bindTools.",
    next: "Choose a model that supports tool calls.",
  },

  command_blocked: {
    status: 403,
    retry: "model",
    text: "The command was not run: {reason}.",
    next: "Reach the goal another way, without what was named.",
  },
  command_missing: {
    status: 422,
    retry: "model",
    text: "{tool} was not called: none of its arguments is known to hold the command, so that it could not be judged.",
    next: "Give the command as text in the argument command.",
  },
  command_unapproved: {
    status: 403,
    retry: "model",
    text: "The command was not run, for it needs a person's approval and nobody can be asked: {reason}.",
    next: "Do what can be done without it, and say at the end what a person would have to run.",
  },
  command_audit_invalid: {
    status: 500,
    retry: "never",
    text: "The command audit cannot be set up: {place} is not valid: {reason}.",
  },
  task_empty: {
    status: 422,
    retry: "caller",
    text: "The task is empty.",
    next: 'Say what is to be done: deerflow run "…".',
  },
  input_missing: {
    status: 422,
    retry: "caller",
    text: "The input {path} cannot be read ({reason}).",
    next: "Give --input a file or folder that exists.",
  },
  input_too_large: {
    status: 413,
    retry: "caller",
    text: "The input {path} is more than {maxFiles} files or {maxTotalBytes} bytes.",
    next: "Give a smaller part, or raise uploads.max_total_size in config.yaml.",
  },
  config_not_written: {
    status: 409,
    retry: "caller",
    text: "{path} was not written ({reason}).",
    next: "An existing file is never replaced: move it away, or name another with --config.",
  },

  home_not_writable: {
    status: 500,
    retry: "caller",
    text: "The home folder {path} cannot be written ({reason}).",
    next: "Set DEER_FLOW_HOME to a folder you can write to.",
  },
  thread_id_invalid: {
    status: 422,
    retry: "caller",
    text: "{threadId} is not a thread id.",
    next: "Use 1 to 64 letters, digits, underscores or hyphens.",
  },

  database_busy: {
    status: 503,
    retry: "caller",
    text: "The database {path} was held by another program for {seconds} seconds.",
    next: "End the other program, or try again.",
  },
  database_damaged: {
    status: 500,
    retry: "never",
    text: "The database {path} is damaged ({reason}).",
    next: "Move it away, or put a backup in its place.",
  },
  database_foreign: {
    status: 500,
    retry: "never",
    text: "{path} is not a DeerFlow database ({reason}). It was not changed.",
    next: "Set database.path to another file, database.schema to another schema, or database.url to another database.",
  },
  database_newer: {
    status: 500,
    retry: "never",
    text: "The database {path} was written by a newer DeerFlow: its schema is {found}, this program knows up to {known}.",
    next: "Install the newer DeerFlow, or use another database file.",
  },
  database_path_invalid: {
    status: 500,
    retry: "caller",
    text: "The SQLite address {path} is not one to open ({reason}).",
    next: "Write a path, :memory:, or file:///absolute/path.",
  },
  database_unreadable: {
    status: 500,
    retry: "caller",
    text: "The database {path} cannot be opened ({reason}).",
    next: "Give this user the right to read and write it, or set database.path to another file.",
  },
  database_unreachable: {
    status: 503,
    retry: "caller",
    text: "The database {path} does not answer ({reason}). Nothing that was acknowledged is lost.",
    next: "Start the database, or correct its address in the configuration.",
  },
  database_address_invalid: {
    status: 500,
    retry: "caller",
    text: "The address of the database is not valid: {reason}.",
    next: "Write it as {example}",
  },
  database_login_failed: {
    status: 500,
    retry: "caller",
    text: "The database {path} refuses the login ({reason}).",
    next: "Correct the user, the password or the name in the address of the database.",
  },
  database_forbidden: {
    status: 500,
    retry: "caller",
    text: "The database {path} does not let this user do it ({reason}).",
    next: "Grant the right to this user, or set database.schema to a schema that it may make and use.",
  },
  database_full: {
    status: 507,
    retry: "caller",
    text: "The database {path} has no room left ({reason}). The last write was undone.",
    next: "Free space on its disk, then try again; `deerflow checkpoints prune` removes old checkpoints.",
  },
  database_read_only: {
    status: 503,
    retry: "caller",
    text: "The database {path} takes no writes ({reason}).",
    next: "Make it writable, then try again.",
  },
  database_in_use: {
    status: 500,
    retry: "caller",
    text: "The database {path} is served by another DeerFlow (process {owner}).",
    next: "End that server, or set database.path to another file.",
  },
  migration_checkpoints_only: {
    status: 422,
    retry: "caller",
    text: "{path} has checkpoints of LangGraph and nothing else of a DeerFlow database.",
    next: "Move its checkpoints alone, with: deerflow checkpoints migrate --checkpoints-only.",
  },
  migration_same_database: {
    status: 422,
    retry: "caller",
    text: "{path} cannot be moved to itself.",
  },
  migration_source_changed: {
    status: 409,
    retry: "caller",
    text: "{path} was written to while a thread of it was read.",
    next: "Run the migration again; what was moved already is not moved twice.",
  },
  migration_source_unknown: {
    status: 422,
    retry: "caller",
    text: "{path} holds nothing that can be moved ({reason}).",
    next: "Give a database of DeerFlow, or one of LangGraph.js's own SQLite or PostgreSQL savers.",
  },
  migration_target_taken: {
    status: 409,
    retry: "caller",
    text: "The target has another thread {threadId} ({reason}).",
    next: "Nothing of it was changed. Remove or rename one of the two.",
  },
  migration_thread_missing: {
    status: 422,
    retry: "caller",
    text: "{path} has no such thread: {threads}. Nothing was moved.",
    next: "Name threads of the source, or none at all to move every one.",
  },
  migration_unverified: {
    status: 500,
    retry: "caller",
    text: "The thread {threadId} does not read as it was written ({reason}). Nothing of it was kept in the target.",
    next: "Check the source with: deerflow checkpoints verify.",
  },
  migration_value_unknown: {
    status: 422,
    retry: "caller",
    text: "A checkpoint is not as LangGraph.js writes it ({reason}).",
    next: "Checkpoints of LangGraph for Python have another form and cannot be moved.",
  },
  database_switching: {
    status: 409,
    retry: "caller",
    text: "Threads are being moved from {from} to {to}.",
    next: "Try again when it is done; `deerflow database status` tells how far it is.",
  },
  database_switch_unfinished: {
    status: 500,
    retry: "caller",
    text: "Threads are still in the database {from}: a switch to {to} was not ended, and the configuration names {configured}.",
    next: "Configure {to}, and start again: the rest is moved then.",
  },
  database_switch_unreadable: {
    status: 500,
    retry: "caller",
    text: "{path} tells which database is in use, and cannot be read ({reason}).",
    next: "Configure the database that the server used last, and move that file away.",
  },
  database_switch_refused: {
    status: 500,
    retry: "caller",
    text: "The server at {url} did not switch its database: {detail}",
  },
  database_server_unreachable: {
    status: 500,
    retry: "caller",
    text: "The server at {url} does not answer ({reason}).",
    next: "Start it, or give its address with --server.",
  },
  database_switch_invalid: {
    status: 422,
    retry: "caller",
    text: "The database cannot be switched: {reason}.",
  },
  run_superseded: {
    status: 409,
    retry: "never",
    text: "Run {runId} was taken over by another process; what this one still wrote for it was refused.",
  },
  checkpoint_not_found: {
    status: 404,
    retry: "never",
    text: "Thread {threadId} has no checkpoint {checkpointId}. It may have been pruned.",
    next: "List the thread's history, and take a checkpoint that is there.",
  },
  quota_exceeded: {
    status: 413,
    retry: "caller",
    text: "{whose} would hold {bytes} bytes with this ({used} are held now); {limit} are allowed.",
    next: "Delete files or threads that are not needed, or raise {setting}.",
  },
  database_statement_too_large: {
    status: 413,
    retry: "never",
    text: "The database {path} takes statements of up to {limit} bytes; this one has {size}. Nothing of it was written.",
    next: "Raise {setting} of the server, or write less at once.",
  },
  store_name_invalid: {
    status: 422,
    retry: "caller",
    text: "This {what} cannot be used in the store: {reason}.",
  },
  store_query_invalid: { status: 422, retry: "caller", text: "The store cannot do this: {reason}." },
  store_value_invalid: {
    status: 422,
    retry: "caller",
    text: "The value of {key} in {namespace} cannot be stored: {reason}.",
    next: "Store an object of fields that JSON can hold.",
  },
  store_without_index: {
    status: 422,
    retry: "caller",
    text: "This store cannot search by meaning: it has no index.",
    next: "Search without query, by namespace and filter.",
  },
  database_value_invalid: {
    status: 500,
    retry: "never",
    text: "A value of type {type} cannot be stored in the database.",
  },
  thread_id_taken: {
    status: 409,
    retry: "caller",
    text: "The thread id {threadId} is in use.",
    next: "Choose another thread id.",
  },

  run_missing: { status: 404, retry: "never", text: "Thread {threadId} has no run {runId}." },
  shutting_down: {
    status: 409,
    retry: "caller",
    text: "The server is shutting down and takes no new runs.",
    next: "Try again in a moment.",
  },
  state_update_invalid: {
    status: 422,
    retry: "caller",
    text: "The state cannot be changed like this: {reason}.",
  },
  stream_cursor_invalid: {
    status: 400,
    retry: "never",
    text: "{cursor} is not the id of an event of this stream.",
    next: "Send the id of the last event that you have, or -1 to get the run from its start.",
  },
  stream_mode_unsupported: {
    status: 422,
    retry: "caller",
    text: "The stream mode {mode} is not supported.",
    next: "Use one or more of: {supported}.",
  },
  thread_busy: {
    status: 409,
    retry: "caller",
    text: "Thread {threadId} is busy with run {runId}{where}.",
    next: "{hint}",
  },
  thread_moving: {
    status: 409,
    retry: "caller",
    text: "Thread {threadId} moves to the database {to} when its unfinished run is over.",
    next: "Try again then.",
  },
  thread_exists: { status: 409, retry: "never", text: "There is a thread {threadId} already." },
  thread_missing: { status: 404, retry: "never", text: "There is no thread {threadId}." },

  address_unusable: {
    status: 500,
    retry: "caller",
    text: "The server cannot listen on {host}, port {port} ({reason}).",
    next: "Give an address of this machine with --host (127.0.0.1 always works) and a port above 1023 with --port.",
  },
  artifact_missing: { status: 404, retry: "never", text: "Thread {threadId} has no file {path}." },
  assistant_missing: {
    status: 404,
    retry: "caller",
    text: "There is no assistant {assistantId}.",
    next: "Use one of: {known}.",
  },
  host_denied: {
    status: 403,
    retry: "never",
    text: "This server does not answer to the host name {host}.",
    next: "Use localhost or 127.0.0.1, or add the name to the allowed hosts.",
  },
  media_missing: {
    status: 404,
    retry: "never",
    text: "Thread {threadId} has no media {hash}.",
    next: "What no message shows any more is removed with the checkpoints that showed it.",
  },
  media_type_unsupported: {
    status: 415,
    retry: "caller",
    text: "A body of type {type} is not accepted here.",
    next: "Send application/json, or multipart/form-data for files.",
  },
  origin_denied: {
    status: 403,
    retry: "never",
    text: "Pages from {origin} may not use this server.",
    next: "Add the origin to the allowed origins if you trust it.",
  },
  port_taken: {
    status: 500,
    retry: "caller",
    text: "Port {port} on {host} is in use by another program.",
    next: "Stop that program, or choose another port with --port.",
  },
  request_too_large: { status: 413, retry: "caller", text: "The request is larger than {limit} bytes." },
  route_missing: { status: 404, retry: "never", text: "There is nothing at {method} {path}." },
  upload_missing: { status: 404, retry: "never", text: "Thread {threadId} has no uploaded file {name}." },
  upload_refused: { status: 413, retry: "caller", text: "The upload was refused: {reason}." },
} as const satisfies Record<string, ErrorRow>;
