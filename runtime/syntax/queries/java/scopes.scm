; See runtime/syntax/scope_captures.h for the captures.
(class_declaration name: (identifier) @local.definition.type) @local.scope.class
(record_declaration name: (identifier) @local.definition.type) @local.scope.class
(interface_declaration name: (identifier) @local.definition.type) @local.scope.class
(annotation_type_declaration name: (identifier) @local.definition.type) @local.scope.class
(enum_declaration name: (identifier) @local.definition.type) @local.scope.class
(object_creation_expression (class_body) @local.scope.class)
(method_declaration name: (identifier) @local.definition.function) @local.scope.function
(annotation_type_element_declaration name: (identifier) @local.definition.function)
[(constructor_declaration) (compact_constructor_declaration) (lambda_expression) (static_initializer)] @local.scope.function
(constructor_declaration name: (identifier) @type)
(compact_constructor_declaration name: (identifier) @type)
[(block) (for_statement) (enhanced_for_statement) (catch_clause) (try_with_resources_statement)
 (switch_block_statement_group) (switch_rule)] @local.scope

(record_declaration
  parameters: (formal_parameters (formal_parameter name: (identifier) @local.definition.field)))
(formal_parameter name: (identifier) @local.definition.parameter)
(spread_parameter (variable_declarator name: (identifier) @local.definition.parameter))
(catch_formal_parameter name: (identifier) @local.definition.variable)
(lambda_expression parameters: (identifier) @local.definition.parameter)
(inferred_parameters (identifier) @local.definition.parameter)
(type_parameter (type_identifier) @local.definition.type_parameter)
(local_variable_declaration
  declarator: (variable_declarator name: (identifier) @local.definition.variable.after))
(field_declaration declarator: (variable_declarator name: (identifier) @local.definition.variable))
(constant_declaration declarator: (variable_declarator name: (identifier) @local.definition.variable))
(variable_declarator name: (identifier) @local.definition.variable.after)
(enhanced_for_statement name: (identifier) @local.definition.variable)
(resource name: (identifier) @local.definition.variable)
(instanceof_expression name: (identifier) @local.definition.variable.after)
(type_pattern (identifier) @local.definition.variable)
(record_pattern_component (identifier) @local.definition.variable)
(enum_constant name: (identifier) @local.definition.constant)
(import_declaration (scoped_identifier name: (identifier) @local.definition.import) .)

(method_invocation object: (_) @receiver name: (identifier) @member.call)
(method_invocation name: (identifier) @call)
(field_access object: (_) @receiver field: (identifier) @member)
(method_reference . (_) @receiver (identifier) @member .)
(scoped_identifier scope: (_) @receiver name: (identifier) @member)
(scoped_type_identifier . (_) @receiver (type_identifier) @member .)
(element_value_pair key: (identifier) @key)
(labeled_statement . (identifier) @label)
(break_statement (identifier) @label)
(continue_statement (identifier) @label)
(annotation name: (identifier) @type)
(marker_annotation name: (identifier) @type)
(type_identifier) @type
(identifier) @local.reference
