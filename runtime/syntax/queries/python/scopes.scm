; See runtime/syntax/scope_captures.h for the captures.
(function_definition name: (identifier) @local.definition.function) @local.scope.function
(class_definition name: (identifier) @local.definition.type) @local.scope.class
[(lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @local.scope.function

[(parameters) (lambda_parameters)] @pattern.parameter.after
(default_parameter value: (_) @expression)
(typed_default_parameter value: (_) @expression)
(typed_default_parameter type: (_) @expression)
(typed_parameter type: (_) @expression)
(assignment left: (_) @pattern.variable.hoisted)
(augmented_assignment left: (identifier) @local.definition.variable.hoisted)
(named_expression name: (identifier) @local.definition.variable.hoisted)
(for_statement left: (_) @pattern.variable.hoisted)
(for_in_clause left: (_) @pattern.variable.hoisted)
(as_pattern_target) @pattern.variable.hoisted
(case_pattern (dotted_name . (identifier) @local.definition.variable.hoisted .))
(type_alias_statement left: (type (identifier) @local.definition.type))
(function_definition type_parameters: (type_parameter (type (identifier) @local.definition.type_parameter)))
(class_definition type_parameters: (type_parameter (type (identifier) @local.definition.type_parameter)))
(case_pattern (splat_pattern (identifier) @local.definition.variable.hoisted))
(splat_pattern (identifier) @local.definition.variable.hoisted)
(keyword_pattern . (identifier) @key)
(keyword_pattern . (_) (dotted_name . (identifier) @local.definition.variable.hoisted .))
[(attribute) (subscript) (call)] @expression

(import_statement name: (dotted_name . (identifier) @local.definition.import.hoisted))
(import_from_statement name: (dotted_name (identifier) @local.definition.import.hoisted))
(aliased_import alias: (identifier) @local.definition.import.hoisted)
(import_statement name: (dotted_name (identifier) @import))
(import_from_statement module_name: (dotted_name (identifier) @import))
(relative_import (dotted_name (identifier) @import))
(aliased_import name: (dotted_name (identifier) @import))

(global_statement (identifier) @global)
(nonlocal_statement (identifier) @nonlocal)
(call function: (identifier) @call)
(call function: (attribute object: (_) @receiver attribute: (identifier) @member.call))
(attribute object: (_) @receiver attribute: (identifier) @member)
(keyword_argument name: (identifier) @key)
(identifier) @local.reference
