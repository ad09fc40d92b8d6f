; inherits: c

(class_specifier name: (type_identifier) @local.definition.type body: (_)) @local.scope.class
(class_specifier body: (_)) @local.scope.class
(namespace_definition name: (namespace_identifier) @local.definition.namespace) @local.scope.namespace
(namespace_definition) @local.scope.namespace
(template_declaration) @local.scope.template
[(lambda_expression) (catch_clause)] @local.scope.function
[(for_range_loop) (if_statement) (while_statement) (switch_statement)] @local.scope

(optional_parameter_declaration declarator: (_) @pattern.parameter)
(variadic_parameter_declaration declarator: (_) @pattern.parameter)
(for_range_loop declarator: (_) @pattern.variable)
(lambda_capture_initializer left: (identifier) @local.definition.parameter)
(reference_declarator (field_identifier) @local.definition.field)
(alias_declaration name: (type_identifier) @local.definition.type)
(concept_definition name: (identifier) @local.definition.type)
(type_parameter_declaration (type_identifier) @local.definition.type_parameter)
(optional_type_parameter_declaration name: (type_identifier) @local.definition.type_parameter)
(variadic_type_parameter_declaration (type_identifier) @local.definition.type_parameter)
(using_declaration (qualified_identifier name: (identifier) @local.definition.import))
(namespace_alias_definition name: (namespace_identifier) @local.definition.namespace)
(field_initializer (field_identifier) @reference)
(destructor_name (identifier) @type)

(call_expression
  function: (qualified_identifier scope: (_) @receiver name: (identifier) @member.call))
(qualified_identifier scope: (_) @receiver name: [(identifier) (type_identifier)] @member)
(qualified_identifier scope: (_) @expression)
(namespace_identifier) @local.reference
