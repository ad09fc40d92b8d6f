; What JavaScript and TypeScript share. See runtime/syntax/scope_captures.h for the captures.
(function_declaration name: (identifier) @local.definition.function) @local.scope.function
(generator_function_declaration name: (identifier) @local.definition.function) @local.scope.function
(method_definition
  name: [(property_identifier) (private_property_identifier)] @local.definition.method) @local.scope.function
[(function_expression) (generator_function) (arrow_function) (method_definition)] @local.scope.function
(function_expression name: (identifier) @local.definition.function)
(generator_function name: (identifier) @local.definition.function)
(class_declaration name: (_) @local.definition.type) @local.scope.class
(class) @local.scope.class
(class name: (_) @local.definition.type)
[(statement_block) (for_statement) (for_in_statement) (switch_body) (catch_clause)] @local.scope

(formal_parameters) @pattern.parameter
(arrow_function parameter: (identifier) @local.definition.parameter)
(lexical_declaration (variable_declarator name: (_) @pattern.variable))
(variable_declaration (variable_declarator name: (_) @pattern.variable.hoisted))
(for_in_statement kind: ["let" "const"] left: (_) @pattern.variable)
(for_in_statement kind: "var" left: (_) @pattern.variable.hoisted)
(catch_clause parameter: (_) @pattern.variable)
(assignment_pattern right: (_) @expression)
(object_assignment_pattern right: (_) @expression)
(computed_property_name) @expression

(import_clause (identifier) @local.definition.import)
(namespace_import (identifier) @local.definition.import)
(import_specifier name: (identifier) @import alias: (_))
(import_specifier name: (identifier) @local.definition.import)
(import_specifier alias: (identifier) @local.definition.import)
(export_statement (export_clause (export_specifier name: (identifier) @import)) source: (_))
(export_specifier alias: (identifier) @key)
(export_specifier name: (identifier) @reference)

(call_expression function: (identifier) @call)
(new_expression constructor: (identifier) @call)
(call_expression
  function: (member_expression
    object: (_) @receiver property: [(property_identifier) (private_property_identifier)] @member.call))
(member_expression
  object: (_) @receiver property: [(property_identifier) (private_property_identifier)] @member)
(pair key: (property_identifier) @key)
(pair_pattern key: (property_identifier) @key)
(shorthand_property_identifier) @shorthand
(shorthand_property_identifier_pattern) @shorthand
(statement_identifier) @label
(identifier) @local.reference
